// The page: builds everything and runs it.

const FRAME = 1 / 20; // s: longer pauses between two frames are not made up for
const FRAME_BUDGET = 9; // ms per frame for all models together
const START_MODELS = ["LuGre", "ImplicitBristle"];
const VERDICTS = ["holds", "drift", "breakaway", "energy", "events"]; // the columns of its table

const TIME = { name: "time", unit: "s", label: "time" };
const POSITION = { name: "position", unit: "m", label: "position" };
const DISPLACEMENT = { ...POSITION, label: "displacement" };
const VELOCITY = { name: "velocity", unit: "m/s", label: "relative velocity" };
const FORCE = { name: "force", unit: "N", label: "force", about: 0 };
const PLOTS = [
    { id: "force-velocity", title: "Force over velocity", x: VELOCITY, y: FORCE },
    { id: "force-displacement", title: "Force over displacement", x: DISPLACEMENT, y: FORCE },
    { id: "position-time", title: "Position over time", x: TIME, y: POSITION },
    { id: "force-time", title: "Force over time", x: TIME, y: FORCE },
];

class Page {
    constructor(catalogue, module) {
        this.catalogue = catalogue;
        this.module = module;
        Element.loads = catalogue.loads;
        const described = new Element(module, catalogue.models[0]).situations;
        this.situations = catalogue.situations.map(
            (entry) =>
                new Situation(
                    entry,
                    described.find((one) => one.name === entry.system),
                ),
        );
        this.hand = new Hand();
        this.host = new Host((mustRestart) => this.changeHost(mustRestart));
        this.picker = new Picker(catalogue);
        this.slots = [];
        this.chosen = 0;
        this.playing = !matchMedia("(prefers-reduced-motion: reduce)").matches;
        this.pace = 1;
        this.time = 0;
        this.scene = new Scene(byId("scene"));
        this.plots = [...PLOTS.map((one) => new Plot(one)), new ModePlot()];
        this.visible = new Set();
        this.saveAddress = debounce(300, () => this.writeAddress());
        this.judge = debounce(250, () => this.measure());
        this.buildFrame();
    }

    // Setup

    buildFrame() {
        const select = byId("situation");
        for (const one of this.situations)
            select.append(make("option", { value: one.name }, one.title));
        select.addEventListener("change", () =>
            this.choose(this.situations.find((one) => one.name === select.value)),
        );
        byId("pace").addEventListener("change", () => (this.pace = Number(byId("pace").value)));
        byId("play").addEventListener("click", () => this.togglePlay());
        byId("restart").addEventListener("click", () => this.restart());
        byId("skip").addEventListener("click", (event) => {
            event.preventDefault();
            byId("parameters").focus();
        });
        const observer = new IntersectionObserver(
            (entries) =>
                entries.forEach((entry) =>
                    this.visible[entry.isIntersecting ? "add" : "delete"](entry.target.id),
                ),
            { rootMargin: "400px" },
        );
        for (const plot of this.plots) {
            const canvas = make("canvas", { id: plot.id, role: "img" });
            plot.pen = new CanvasPen(canvas);
            byId("plots").append(
                make(
                    "figure",
                    { className: plot instanceof ModePlot ? "wide" : "" },
                    (plot.caption = make("figcaption", {}, plot.title)),
                    canvas,
                ),
            );
            observer.observe(canvas);
        }
        this.buildGuide();
        this.buildTake();
        this.listen();
        addEventListener(
            "hashchange",
            () => location.hash !== this.written && this.openState(location.hash),
        );
        setInterval(() => this.describe(), 1500);
    }

    /** A guided minute for newcomers to friction curves: a few states, each with an explanation. */
    buildGuide() {
        for (const { title, text, address } of this.catalogue.guide)
            byId("guide-steps").append(
                make(
                    "button",
                    {
                        "aria-pressed": "false",
                        onclick: (event) => {
                            this.openState(address);
                            event.target.setAttribute("aria-pressed", "true");
                            byId("guide-text").textContent = text;
                        },
                    },
                    title,
                ),
            );
    }

    /** Ends the guide, which does not know other states. */
    leaveGuide() {
        byId("guide-text").textContent = "";
        for (const button of byId("guide-steps").children)
            button.setAttribute("aria-pressed", "false");
    }

    buildTake() {
        const onClick = (id, call) => byId(id).addEventListener("click", call);
        onClick("take-link", (event) => this.copy(this.writeAddress(), event.target));
        onClick("take-ssv", () => {
            const text = ssvText(this.slot, this.catalogue.version);
            download(`${this.slot.model.name}.ssv`, text, "application/xml");
        });
        onClick("take-csv", () =>
            download(`${this.situation.name}.csv`, csvText(this.slots), "text/csv"),
        );
        onClick("take-svg", () =>
            download(`${this.situation.name}.svg`, this.picture(), "image/svg+xml"),
        );
        onClick("take-png", async () =>
            download(`${this.situation.name}.png`, await pngBlob(this.picture())),
        );
    }

    picture() {
        return svgText(this.plots, this.slots, this.view, this.situation.title);
    }

    async copy(text, button) {
        const before = button.textContent;
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = "Copied";
        } catch {
            button.textContent = "Not allowed here";
        }
        setTimeout(() => (button.textContent = before), 1500);
    }

    // State

    get slot() {
        return this.slots[this.chosen];
    }

    get view() {
        const window = this.situation.window,
            to = Math.max(this.time, window);
        return { from: to - window, to };
    }

    /** Shows a message above the scene: an error, or what the page has changed by itself. */
    notice(text, isWrong = true) {
        byId("notice").textContent = text;
        byId("notice").hidden = !text;
        byId("notice").classList.toggle("bad", isWrong);
    }

    /** Opens the state of an address, or the first one. */
    openState(hash) {
        const { wanted, problem } = readAddress(hash, this.catalogue, this.situations);
        this.leaveGuide();
        const asked = wanted ?? { situation: null, settings: {}, press: 0, host: {}, slots: [] };
        this.slots = asked.slots.length
            ? asked.slots.map(({ model, set, values }, i) =>
                  Object.assign(new Slot(this.module, model, i), { set, values }),
              )
            : this.firstSlots();
        this.chosen = 0;
        this.pointer = null;
        this.hand.release();
        this.hand.press = asked.press;
        this.situation =
            asked.situation ??
            this.situations.find(
                (one) => this.slots[0].element.situations.length && this.fits(this.slots[0], one),
            );
        this.settings = asked.settings;
        this.host.release();
        Object.assign(this.host, asked.host);
        this.replaceUnfitModels();
        if (problem) this.notice(problem);
        this.restart();
        this.showSituation();
        this.showModels();
    }

    /** The first models of the page. */
    firstSlots() {
        const known = START_MODELS.map((name) =>
            this.catalogue.models.find((one) => one.name === name),
        ).filter(Boolean);
        return (known.length ? known : [this.catalogue.models[0]]).map(
            (model, i) => new Slot(this.module, model, i),
        );
    }

    /** Removes the models that do not fit the situation; where none does, chooses some that do.
     * Shows a message. */
    replaceUnfitModels() {
        const others = this.slots.filter((slot) => !this.fits(slot, this.situation));
        this.notice("");
        if (!others.length) return;
        const chosen = this.slot;
        this.slots = this.slots.filter((slot) => !others.includes(slot));
        const stayed = this.slots.length;
        if (!stayed)
            this.slots =
                [this.otherForms(others), this.firstSlots()]
                    .map((slots) => slots.filter((slot) => this.fits(slot, this.situation)))
                    .find((slots) => slots.length) ?? [];
        for (const model of this.catalogue.models) {
            if (this.slots.length) break;
            const slot = new Slot(this.module, model, 0);
            if (this.fits(slot, this.situation)) this.slots = [slot];
        }
        this.slots.forEach((slot, i) => (slot.index = i));
        this.chosen = Math.max(this.slots.indexOf(chosen), 0);
        const names = (slots) => slots.map((slot) => slot.model.name).join(" and "),
            verb = (slots, word, ending = "s") => (slots.length > 1 ? word : word + ending),
            left = `${names(others)} ${verb(others, "do", "es")} not fit`,
            now = `${names(this.slots)} ${verb(this.slots, stayed ? "stay" : "run")}`;
        const instead = stayed ? "" : " instead";
        this.notice(`${left} “${this.situation.title}”: ${now}${instead}.`, false);
    }

    /** Twins in place of models that slide, and the reverse. */
    otherForms(slots) {
        return slots
            .flatMap((slot) => slot.model.otherForms)
            .map((name) => this.catalogue.models.find((one) => one.name === name))
            .filter(Boolean)
            .map((model, i) => new Slot(this.module, model, i));
    }

    fits(slot, situation) {
        try {
            slot.element.open(situation.name, situation.listed({}), null, {});
            return true;
        } catch (refusal) {
            if (refusal instanceof Refusal) return false;
            throw refusal;
        }
    }

    choose(situation) {
        this.leaveGuide();
        this.situation = situation;
        this.settings = {};
        this.pointer = null;
        this.hand.release();
        this.hand.press = 0;
        if (!situation.pulls) this.host.release();
        this.replaceUnfitModels();
        this.restart();
        this.showSituation();
        this.showModels();
    }

    restart() {
        this.time = 0;
        this.ended = false;
        this.scene.reset();
        for (const slot of this.slots) this.restartSlot(slot);
        for (const plot of this.plots) {
            plot.relabel((text) => this.slot.word(text));
            plot.caption.textContent = plot.title;
        }
        if (!matchMedia("(prefers-reduced-motion: reduce)").matches) this.playing = true;
        this.showPlay();
        this.changed();
    }

    restartSlot(slot) {
        slot.spacing = this.situation.window / 2500;
        slot.ownSet = this.situation.set;
        slot.restart(
            this.situation.name,
            this.situation.listed(this.settings),
            this.hand.numbers,
            this.host.slotSettings(this.situation, this.settings),
        );
    }

    /** Updates everything that depends on the parameters. */
    changed() {
        this.saveAddress();
        this.judge();
        this.showLines();
        this.showProblems();
    }

    writeAddress() {
        const { situation, settings, hand, host, slots } = this,
            hash = writeAddress(situation, settings, hand.press, host, slots);
        this.written = hash;
        if (location.hash !== hash) history.replaceState(null, "", hash);
        return location.href;
    }

    // Running

    togglePlay() {
        if (this.ended) return this.restart();
        this.playing = !this.playing;
        this.showPlay();
    }

    showPlay() {
        byId("play").textContent = this.ended ? "Run again" : this.playing ? "Pause" : "Run";
    }

    frame(now) {
        const passed = Math.min((now - (this.lastFrame ?? now)) / 1000, FRAME);
        this.lastFrame = now;
        if (this.playing) this.advance(passed * this.pace * this.situation.pace);
        this.draw();
        requestAnimationFrame((next) => this.frame(next));
    }

    advance(time) {
        const stop = this.situation.endless ? Infinity : this.situation.stop,
            target = Math.min(this.time + time, stop);
        const running = this.slots.filter((slot) => slot.running);
        let reached = target;
        for (const slot of running) {
            const wasRunning = slot.running;
            if (!slot.advance(target, FRAME_BUDGET / running.length))
                reached = Math.min(reached, slot.element.time);
            if (wasRunning && !slot.running) this.showProblems();
        }
        this.time = reached;
        if (this.time >= stop) {
            this.playing = false;
            this.ended = true;
            this.showPlay();
        }
    }

    draw() {
        this.scene.updateScale(this.slots, Boolean(this.pointer));
        if (this.pointer) this.pull();
        const height = `${this.scene.height(this.slots.filter((slot) => slot.fits).length)}px`;
        if (byId("scene").style.height !== height) byId("scene").style.height = height;
        this.scene.draw(
            this.slots,
            this.situation,
            this.situation.complete(this.settings),
            this.hand,
            this.time,
        );
        for (const plot of this.plots) {
            if (!this.visible.has(plot.id)) continue;
            const { width, height: space } = plot.pen.begin();
            plot.draw(plot.pen, width, space, this.slots, this.view);
        }
    }

    /** Describes plots and scene for screen readers, and updates the verdict of the run. */
    describe() {
        for (const plot of this.plots)
            byId(plot.id).setAttribute("aria-label", plot.description(this.slots));
        byId("scene").setAttribute(
            "aria-label",
            `${this.situation.title}: ${this.slots
                .filter((slot) => slot.count)
                .map(
                    (slot) =>
                        `${slot.model.name} at ` +
                        `${quantity(slot.now("position"), slot.word("m"))}, ` +
                        `${slot.word("force")} ${quantity(slot.now("force"), slot.word("N"))}`,
                )
                .join("; ")}.`,
        );
        const words = this.host.describe(this.slots);
        if (byId("chatter").textContent !== words) byId("chatter").textContent = words;
        this.slots.forEach((slot) =>
            Object.entries(liveVerdict(slot)).forEach(([name, result]) =>
                this.showVerdict(slot, name, result),
            ),
        );
    }

    // Verdict

    measure() {
        const body = byId("verdict").querySelector("tbody");
        body.replaceChildren(
            ...this.slots.map((slot) =>
                make(
                    "tr",
                    {},
                    make("th", { scope: "row" }, slot.model.name),
                    ...VERDICTS.map((name) => make("td", { className: name }, "…")),
                ),
            ),
        );
        for (const slot of this.slots) {
            slot.verdict ??= new Verdict(this.module, slot.model);
            if (slot.parameters)
                slot.verdict.measure({ ...slot.parameters, ...slot.options }, (name, result) =>
                    this.showVerdict(slot, name, result),
                );
        }
        this.describe();
    }

    showVerdict(slot, name, { text, good, why }) {
        const row = byId("verdict").querySelectorAll("tbody tr")[this.slots.indexOf(slot)],
            cell = row?.querySelector(`.${name}`);
        if (!cell) return;
        const mark =
            good === null
                ? make("span", { title: why ?? "" }, text)
                : make("span", { className: `mark ${good ? "good" : "bad"}` }, text);
        if (cell.textContent !== text) cell.replaceChildren(mark);
    }

    // Forms

    showSituation() {
        byId("situation").value = this.situation.name;
        byId("situation-summary").replaceChildren(
            `${this.situation.summary} `,
            make("small", { title: this.situation.fullTitle }, `${this.situation.source}.`),
        );
        const { pulls, presses } = this.situation;
        const keys = [pulls && "← → pull", presses && "↑ ↓ lift and press"]
            .filter(Boolean)
            .join(", ");
        const drag = pulls
            ? "Drag the body along, and up or down to lift and press it."
            : presses && !this.slots.some((slot) => slot.isRotational)
              ? "Drag the body up or down to lift and press it."
              : "";
        byId("sign").hidden = !this.slots.some(
            (slot) =>
                slot.column.velocity >= 0 &&
                slot.column.height !== slot.column.position &&
                !slot.isRotational,
        );
        byId("scene-help").textContent =
            `${drag} Keys in the scene: ${keys}${keys ? ", " : ""}space pauses, R restarts.`;
        byId("scene").classList.toggle("free", pulls || presses);
        const weight = this.situation.weight(this.settings),
            all = this.situation.complete(this.settings);
        const fields = this.situation.settings.map((one) => {
            const range = one.open ? "greater than 0" : one.low === 0 ? "at least 0" : "any";
            const entry = {
                ...one,
                ...displayed(one),
                label: inWords(one.name),
                range,
                slider: this.situation.slider(one),
            };
            const field = new Field(entry, one.start, (value) =>
                this.changeSetting(one.name, value),
            );
            field.show(all[one.name]);
            return field.row;
        });
        if (presses) {
            const entry = {
                name: "press",
                label: "hand presses",
                unit: "N",
                text: "Adds to the normal force; negative lifts the body",
                slider: { log: false, low: -1.5 * weight, high: 2 * weight },
            };
            this.pressField = new Field(entry, 0, (value) => this.changePress(value));
            this.pressField.show(this.hand.press);
            fields.push(this.pressField.row);
        }
        byId("settings").replaceChildren(...fields);
        byId("host-controls").hidden = !pulls;
        this.host.show();
    }

    changeHost(mustRestart) {
        if (mustRestart) this.restart();
        else this.updateSlots();
        this.saveAddress();
        this.describe();
    }

    changeSetting(name, value) {
        const objection = this.situation.objection(name, value);
        if (objection) return objection;
        this.settings[name] = value;
        if (value === this.situation.settings.find((one) => one.name === name).start)
            delete this.settings[name];
        this.updateSlots();
        this.saveAddress();
        this.showLines();
        return "";
    }

    changePress(value) {
        this.hand.press = value;
        this.updateSlots();
        this.saveAddress();
        return "";
    }

    updateSlots() {
        for (const slot of this.slots)
            slot.update(
                this.situation.listed(this.settings),
                this.hand.numbers,
                this.host.slotSettings(this.situation, this.settings),
            );
    }

    showModels() {
        const rows = this.slots.map((slot, i) => this.slotRow(slot, i));
        if (this.slots.length < SLOTS)
            rows.push(
                make(
                    "button",
                    {
                        id: "add",
                        "aria-haspopup": "dialog",
                        onclick: () =>
                            this.pick(null, (model) => this.replace(this.slots.length, model)),
                    },
                    "+ compare with another model",
                ),
            );
        byId("models").replaceChildren(...rows);
        this.showParameters();
        this.showProblems();
    }

    slotRow(slot, i) {
        const box = copyOf("slot-template"),
            [pick, select, remove] = box.querySelectorAll("button");
        box.style.setProperty("--mark", `var(--${MARKS[i]})`);
        box.firstElementChild.classList.toggle("chosen", i === this.chosen);
        box.querySelector("line").setAttribute("stroke-dasharray", DASHES[i].join(" "));
        pick.firstElementChild.textContent = slot.model.name;
        pick.title = slot.model.title;
        pick.ariaLabel = `Model ${i + 1}: ${slot.model.name}, choose another`;
        pick.addEventListener("click", () =>
            this.pick(slot.model, (model) => this.replace(i, model)),
        );
        select.hidden = remove.hidden = this.slots.length === 1;
        select.ariaLabel = `Parameters of model ${i + 1}`;
        select.ariaPressed = String(i === this.chosen);
        select.addEventListener("click", () => this.select(i));
        remove.ariaLabel = `Remove model ${i + 1}`;
        remove.addEventListener("click", () => this.remove(i));
        return box;
    }

    showProblems() {
        document.querySelectorAll(".slot-problem").forEach((place, i) => {
            place.textContent = this.slots[i]?.problem ?? "";
        });
    }

    select(i) {
        this.chosen = i;
        this.showModels();
        this.showLines();
    }

    /** The first situation that a slot fits into, preferably the present one. */
    placeOf(slot) {
        return [this.situation, ...this.situations].find((one) => this.fits(slot, one));
    }

    /** Lets the visitor choose a model. */
    pick(current, choose) {
        const elsewhere = (model) => {
            const places = this.placesOf(model);
            return places.includes(this.situation) ? "" : places[0].title;
        };
        this.picker.ask(current, elsewhere, choose);
    }

    /** The situations that a model fits into; all with the same inputs and forces have the same. */
    placesOf(model) {
        this.places ??= new Map();
        const wiring = model.variables
            .filter(
                ([name, , , causality]) =>
                    causality === "input" ||
                    (causality === "output" && /(Force|Torque)/.test(name)),
            )
            .map(([name]) => name)
            .join();
        if (!this.places.has(wiring)) {
            const slot = new Slot(this.module, model, 0);
            this.places.set(
                wiring,
                this.situations.filter((one) => this.fits(slot, one)),
            );
        }
        return this.places.get(wiring);
    }

    /** Replaces a model, and the situation if the new model does not fit it. */
    replace(i, model) {
        const slot = (this.slots[i] = new Slot(this.module, model, i)),
            place = this.placeOf(slot);
        this.chosen = i;
        if (place !== this.situation) return this.choose(place);
        this.notice("");
        this.restart();
        this.showModels();
    }

    remove(i) {
        this.slots.splice(i, 1);
        this.slots.forEach((slot, place) => (slot.index = place));
        this.chosen = Math.min(this.chosen, this.slots.length - 1);
        this.restart();
        this.showModels();
    }

    showParameters() {
        const { slot } = this,
            { model } = slot,
            start =
                slot.parameters ??
                Object.fromEntries(model.parameters.map((one) => [one.name, one.start]));
        const row = (one) => {
            const field = new Field(one, start[one.name], (value) =>
                this.changeParameter(slot, one, value),
            );
            if (one.name in slot.values) field.base = this.baseValue(slot, one);
            field.show(start[one.name]);
            return field.row;
        };
        const options = model.options.map((option) =>
            optionRow(option, slot.options[option.name], (value) =>
                this.changeParameter(slot, option, value),
            ),
        );
        const fixed = model.parameters.filter((one) => one.fixed).map(row),
            live = model.parameters.filter((one) => !one.fixed).map(row);
        byId("parameters").style.setProperty("--mark", `var(--${MARKS[this.chosen]})`);
        byId("model-name").textContent = model.name;
        byId("model-title").textContent = model.title;
        byId("fields").replaceChildren(...live, ...options);
        byId("initial").hidden = !fixed.length;
        byId("initial").lastElementChild.replaceChildren(...fixed);
        byId("model-summary").textContent = model.summary;
        byId("model-equations").innerHTML = model.equations;
        byId("not-modelled").hidden = !model.notModelled.length;
        byId("not-modelled").lastElementChild.replaceChildren(
            ...model.notModelled.map((text) => make("li", {}, text)),
        );
        this.showSets(slot);
    }

    /** The value of a parameter in the set of the slot. */
    baseValue(slot, one) {
        const probe = (slot.verdict ??= new Verdict(this.module, slot.model));
        try {
            probe.round++;
            probe.element.open(
                this.situation.name,
                this.situation.listed(this.settings),
                slot.set,
                {},
            );
            return probe.element.get(one.reference);
        } catch (refusal) {
            if (refusal instanceof Refusal) return one.start;
            throw refusal;
        }
    }

    /** The sets that the parameters may start from, in one menu. */
    setsOf(slot) {
        const { set: own, source } = this.situation,
            sets = slot.model.sets.map((one) => ({
                set: one.name,
                text: one.title,
                note: `${one.name}.ssv, from ${one.source}.`,
            }));
        const note = "The defaults of the model.";
        sets.unshift({ set: own ? null : "", text: "defaults", note });
        if (own) {
            const part = `as far as ${slot.model.name} has its parameters`;
            const surface = `The surface of ${source}, ${part}.`;
            sets.unshift({ set: "", text: "surface of this situation", note: surface });
        }
        return sets;
    }

    showSets(slot) {
        const sets = this.setsOf(slot),
            chosen = sets.findIndex((one) => one.set === slot.set);
        byId("set").replaceChildren(
            ...sets.map(({ text }, i) => make("option", { value: i }, text)),
            make("option", { value: "own", hidden: true }, "changed by hand"),
        );
        byId("set").value = Object.keys(slot.values).length ? "own" : chosen;
        byId("set").onchange = () => this.applySet(slot, sets[Number(byId("set").value)].set);
        byId("set-note").textContent = sets[chosen].note;
    }

    applySet(slot, set) {
        slot.set = set;
        slot.values = {};
        this.restart();
        this.showModels();
    }

    /** Changes a parameter; returns the sentence of an element that refuses the value. */
    changeParameter(slot, one, value) {
        const before = { ...slot.values };
        const answer = slot.change({ [one.name]: value });
        if (answer && answer !== "restart") return answer;
        if (answer === "restart") {
            this.restart();
            const { problem } = slot;
            if (problem && slot.fits) {
                slot.values = before;
                this.restart();
                return problem;
            }
        }
        this.changed();
        this.showSets(slot);
        return "";
    }

    showLines() {
        const lines = this.slot?.parameters ? Object.entries(TOOLS) : [];
        byId("take-lines").replaceChildren(
            ...lines.map(([tool, write]) => {
                const part = byId("lines-template").content.cloneNode(true),
                    listing = part.querySelector("pre"),
                    text = write(this.slot, this.situation, this.settings);
                part.querySelector("h3").textContent = tool;
                listing.textContent = text;
                listing.ariaLabel = `Lines for ${tool}`;
                part.querySelector("button").onclick = (event) => this.copy(text, event.target);
                return part;
            }),
        );
    }

    // Mouse, finger and keys

    listen() {
        const canvas = byId("scene");
        canvas.addEventListener("pointerdown", (event) => {
            if (this.scene.bodyAt(this.slots, event.offsetX, event.offsetY) < 0) return;
            canvas.setPointerCapture(event.pointerId);
            this.pointer = { x: event.offsetX, y: event.offsetY, from: event.offsetY };
            byId("scene").classList.add("held");
            if (!this.playing && !this.ended) this.togglePlay();
        });
        // a finger that is put on a body lifts it and does not scroll the page
        canvas.addEventListener(
            "touchstart",
            (event) => {
                const { left, top } = canvas.getBoundingClientRect(),
                    [{ clientX, clientY }] = event.touches;
                if (this.scene.bodyAt(this.slots, clientX - left, clientY - top) >= 0)
                    event.preventDefault();
            },
            { passive: false },
        );
        canvas.addEventListener("pointermove", (event) => {
            if (this.pointer) Object.assign(this.pointer, { x: event.offsetX, y: event.offsetY });
        });
        for (const kind of ["pointerup", "pointercancel"])
            canvas.addEventListener(kind, () => this.pointer && this.letGo());
        canvas.addEventListener("keydown", (event) => this.key(event, true));
        canvas.addEventListener("keyup", (event) => this.key(event, false));
        canvas.addEventListener("blur", () =>
            this.hand.force || this.hand.extraPress ? this.letGo() : null,
        );
        addEventListener("keydown", (event) => {
            if (
                event.target.matches("input, select, button, summary, textarea") ||
                event.ctrlKey ||
                event.metaKey ||
                event.altKey
            )
                return;
            if (event.key === " ") {
                event.preventDefault();
                this.togglePlay();
            } else if (event.key === "r" || event.key === "R") this.restart();
        });
    }

    /** Moves the hand to the pointer. */
    pull() {
        const { x, y, from } = this.pointer,
            weight = this.situation.weight(this.settings),
            { mass = 1 } = this.situation.complete(this.settings);
        if (this.situation.pulls)
            this.hand.hold(
                this.scene.positionAt(x),
                byId("scene").clientWidth / this.scene.place.scale,
                weight,
                mass,
            );
        // a pull to the side is seldom quite horizontal
        const past = Math.sign(y - from) * Math.max(Math.abs(y - from) - 12, 0);
        this.hand.extraPress = this.situation.presses ? (past / 50) * weight : 0;
        this.updateSlots();
    }

    letGo() {
        this.pointer = null;
        this.hand.release();
        byId("scene").classList.remove("held");
        this.updateSlots();
    }

    key(event, down) {
        const weight = this.situation.weight(this.settings),
            step = down ? 1 : 0;
        const actions = {
            ArrowLeft: () => (this.hand.force = -step * weight),
            ArrowRight: () => (this.hand.force = step * weight),
            ArrowUp: () => (this.hand.extraPress = -1.3 * step * weight),
            ArrowDown: () => (this.hand.extraPress = step * weight),
        };
        if (!actions[event.key]) return;
        event.preventDefault();
        if (event.repeat) return;
        actions[event.key]();
        this.updateSlots();
    }
}

let page;

async function open() {
    try {
        const [catalogue, bytes] = await Promise.all([
            unpacked("catalogue-data"),
            unpacked("module-data"),
        ]);
        const module = await WebAssembly.compile(bytes);
        page = new Page(JSON.parse(new TextDecoder().decode(catalogue)), module);
        page.openState(location.hash);
        requestAnimationFrame((now) => page.frame(now));
    } catch (error) {
        byId("notice").textContent = `This browser cannot run the page: ${error.message}`;
        byId("notice").hidden = false;
        throw error;
    }
}

open();
