// One of the models on the page: its parameters, its run and the rows of it that the plots show.

const ROWS = 6000;
const TRIALS = 400; // between two readings of the clock
const TURNS = 0.02; // weight of a step in the share of those that turn the force: 50 count
const TURN = 0.02; // of the largest force: what is less is not visible

/** What the plots draw, whatever the system and the element call it; the first name that there is
 * a column of. */
const COLUMNS = {
    time: ["time"],
    position: ["position", "displacement", "height", "motorAngle"],
    link: ["linkAngle"],
    height: ["height"],
    force: ["frictionForce", "frictionForce[1]", "frictionTorque", "normalForce"],
    velocity: [
        "relativeVelocity",
        "relativeVelocity[1]",
        "relativeAngularVelocity",
        "penetrationRate",
    ],
    normal: ["normalForce"],
    load: ["load", "springForce"],
    work: ["frictionWork"],
};

/** What is a quantity or a word of an element that slides is another one of a twin that turns. */
const TURNED = {
    N: "N·m",
    m: "rad",
    "m/s": "rad/s",
    force: "torque",
    position: "angle",
    displacement: "angle",
    "relative velocity": "relative angular velocity",
};

class Slot {
    constructor(module, model, index) {
        this.module = module;
        this.element = new Element(module, model);
        this.model = model;
        this.index = index;
        this.set = "";
        this.values = {}; // what differs from the set
        this.problem = "";
        this.fits = true;
    }

    /** Begins the run anew. Where the element refuses, `problem` says why, and there is no run. */
    restart(situation, settings, hand, host = { step: 0, mass: 0 }) {
        this.problem = "";
        this.fits = true;
        this.count = this.next = 0;
        this.column = {};
        this.element.hand = hand;
        this.place = [situation, settings];
        try {
            this.element.open(situation, settings, this.set, this.values, host.step);
            if (host.step) this.element.couple(host.mass);
        } catch (refusal) {
            return this.stop(refusal, false);
        }
        this.parameters = this.element.parameters;
        try {
            this.element.start();
        } catch (refusal) {
            return this.stop(refusal, true);
        }
        const columns = this.element.columns;
        for (const [name, candidates] of Object.entries(COLUMNS)) {
            const found = candidates.find((one) => columns.includes(one));
            this.column[name] = found ? columns.lastIndexOf(found) : -1;
        }
        this.modeColumns = Object.keys(this.model.modes)
            .map((name) => [columns.indexOf(name), this.model.modes[name]])
            .filter(([at]) => at >= 0);
        this.turns = columns.includes("frictionTorque");
        this.width = columns.length;
        this.rows = new Float64Array(ROWS * this.width);
        this.lowestWork = this.largestForce = this.turning = this.lastChange = 0;
        this.host = host;
        this.newest = null;
        this.running = true;
        this.advance(0, Infinity);
        this.element.call.take_rows();
        return true;
    }

    stop(refusal, fits) {
        if (!(refusal instanceof Refusal)) throw refusal;
        this.problem = refusal.message;
        this.fits = fits;
        this.running = false;
        return false;
    }

    /** Goes on to a time, or as far as it gets in so many milliseconds. */
    advance(until, milliseconds) {
        if (!this.running) return true;
        const deadline = performance.now() + milliseconds;
        try {
            while (!this.element.advance(until, TRIALS, (row) => this.keep(row)))
                if (performance.now() > deadline) return false;
        } catch (refusal) {
            this.stop(refusal, true);
        }
        return true;
    }

    /** A row for the plots, unless it hardly differs from the last one. */
    keep(row) {
        const force = row[this.column.force],
            last = this.count ? ((this.next + ROWS - 1) % ROWS) * this.width : -1;
        this.largestForce = Math.max(this.largestForce, Math.abs(force));
        this.watch(force);
        this.lowestWork = Math.min(this.lowestWork, row[this.column.work]);
        if (this.count > 1) {
            const near =
                row[0] - this.rows[last] < this.spacing &&
                Math.abs(force - this.rows[last + this.column.force]) < 0.004 * this.largestForce;
            const sameModes = this.modeColumns.every(([at]) => row[at] === this.rows[last + at]);
            if (near && sameModes) {
                this.newest = Float64Array.from(row);
                return;
            }
        }
        this.rows.set(row, this.next * this.width);
        this.newest = Float64Array.from(row);
        this.next = (this.next + 1) % ROWS;
        this.count = Math.min(this.count + 1, ROWS);
    }

    /** Follows how often the force turns round from step to step. */
    watch(force) {
        const change = this.newest ? force - this.newest[this.column.force] : 0,
            turns = change * this.lastChange < 0 && Math.abs(change) > TURN * this.largestForce;
        this.turning += TURNS * (Number(turns) - this.turning);
        this.lastChange = change;
    }

    /** The options with the values they have: the slot's own, those of its set, or the defaults. */
    get options() {
        const set = this.model.sets.find(
            (one) => one.name === (this.set || (this.set === "" ? this.ownSet : null)),
        );
        return Object.fromEntries(
            this.model.options.map((one) => [
                one.name,
                this.values[one.name] ?? set?.values[one.name] ?? one.start,
            ]),
        );
    }

    /** Calls with the place of each kept row, the oldest first. */
    eachRow(call) {
        for (let i = 0; i < this.count; i++)
            call(((this.next - this.count + i + ROWS) % ROWS) * this.width);
    }

    /** The word or unit of this element. */
    word(text) {
        return this.turns ? (TURNED[text] ?? text) : text;
    }

    /** The newest value of one of COLUMNS. */
    now(name) {
        const at = this.column[name];
        return this.newest && at >= 0 ? this.newest[at] : NaN;
    }

    /** Gives new values, live where the parameter allows it. What the element refuses is taken
     * back; the sentence comes back. */
    change(values) {
        const before = { ...this.values };
        Object.assign(this.values, values);
        const fixed =
            this.model.parameters.some((one) => one.fixed && one.name in values) ||
            this.model.options.some((one) => one.name in values);
        if (!this.running || fixed) return "restart";
        const kept = Object.fromEntries(
            Object.keys(values).map((name) => [name, this.parameters[name]]),
        );
        try {
            if (this.host.step) this.tryOut();
            this.element.change(() => this.element.give(values));
            Object.assign(this.parameters, values);
            return "";
        } catch (refusal) {
            if (!(refusal instanceof Refusal)) throw refusal;
            this.values = before;
            this.element.give(kept);
            this.element.demand(this.element.call.end_change());
            return refusal.message;
        }
    }

    /** Begins a run of another element with the values of now: one in a host with a fixed step
     * would refuse them in its next step only, and stop there. */
    tryOut() {
        this.trial ??= new Element(this.module, this.model);
        this.trial.open(...this.place, this.set, this.values);
        this.trial.start();
    }

    /** Tells the running element of new settings or a moved hand. */
    follow(settings, hand, host = this.host) {
        this.element.hand = hand;
        this.element.settings = settings;
        if (!this.running) return;
        try {
            if (host.step) {
                this.element.call.set_step(host.step);
                this.element.couple(host.mass);
            }
            this.element.change(() => {});
        } catch (refusal) {
            this.stop(refusal, true);
        }
    }
}
