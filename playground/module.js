// The WebAssembly module: friction elements, systems and integrator. Nothing of a law is in this
// file.

const TYPES = { Real: 1, Integer: 2, Enumeration: 3 };
const CAUSALITIES = { local: 0, parameter: 1, input: 2, output: 3 };
const TOLERANCE = 1e-6;

/** A friction element alone in its own instance of the module. Calls that the element refuses
 * throw a Refusal with its sentence. */
class Refusal extends Error {}

class Element {
    /** Load elements, which systems have beside a friction element. */
    static loads = [];

    constructor(module, model) {
        this.model = model;
        this.call = new WebAssembly.Instance(module, {}).exports;
        this.call._initialize();
        for (const one of [...Element.loads, model]) this.describe(one);
        this.situations = Array.from({ length: this.call.situation_count() }, (_, i) =>
            this.describeSituation(i),
        );
    }

    describe(model) {
        this.writeTexts(model.name);
        if (!this.call.choose()) throw new Error(`${model.name} is not in the module.`);
        model.variables.forEach(([name, unit, type, causality, low, high, state], reference) => {
            this.writeTexts(name, unit);
            this.call.describe(
                TYPES[type],
                CAUSALITIES[causality],
                reference,
                state,
                low ?? -Infinity,
                high ?? Infinity,
            );
        });
        this.writeTexts(model.guid);
        this.call.complete(model.indicators);
    }

    /** Writes texts into the buffer of the module. */
    writeTexts(...texts) {
        const bytes = new TextEncoder().encode(texts.map((text) => `${text}\0`).join(""));
        new Uint8Array(this.call.memory.buffer).set(bytes, this.call.text());
    }

    read(pointer) {
        if (!pointer) return "";
        const bytes = new Uint8Array(this.call.memory.buffer);
        return new TextDecoder().decode(bytes.subarray(pointer, bytes.indexOf(0, pointer)));
    }

    /** The sentence of the last refusal, without the name of the model before it. */
    get sentence() {
        const text = this.read(this.call.text()),
            name = `${this.model.name}: `;
        return text.startsWith(name) ? text.slice(name.length) : text;
    }

    demand(good) {
        if (!good) throw new Refusal(this.sentence);
    }

    numbers(pointer, count) {
        return new Float64Array(this.call.memory.buffer, pointer, count);
    }

    describeSituation(i) {
        const [name, title, source, set] = [0, 1, 2, 3].map((what) =>
            this.read(this.call.situation_text(i, what)),
        );
        const [stop, interval, grip] = [0, 1, 2].map((what) => this.call.situation_number(i, what));
        const settings = [];
        for (let j = 0; this.call.setting_text(i, j, 0); j++) {
            const [setting, unit, text] = [0, 1, 2].map((what) =>
                this.read(this.call.setting_text(i, j, what)),
            );
            const [start, range] = [0, 1].map((what) => this.call.setting_number(i, j, what));
            settings.push({
                name: setting,
                unit,
                text,
                start,
                low: range === 0 ? -Infinity : 0,
                open: range === 2,
            });
        }
        return {
            name,
            title,
            source,
            set,
            stop,
            interval,
            pulls: (grip & 1) > 0,
            presses: (grip & 2) > 0,
            settings,
        };
    }

    set settings(values) {
        this.numbers(this.call.settings(), values.length).set(values);
    }

    /** The hand: holds, place, stiffness, damping, force, press. */
    set hand(values) {
        this.numbers(this.call.hand(), 6).set(values);
    }

    /** Puts the element into a situation. `set`: "" for the surface of the situation, null for the
     * model's defaults, else the name of a set. `step`: of a host with a fixed one. */
    open(situation, settings, set, values, step = 0) {
        this.settings = settings;
        const at = this.situations.findIndex((one) => one.name === situation);
        this.demand(this.call.open(at, step));
        if (set !== null) {
            this.writeTexts(set);
            this.demand(this.call.take_set());
        }
        this.give(values);
    }

    /** Sets parameters and options by their names. */
    give(values) {
        for (const one of this.model.parameters)
            if (one.name in values)
                this.demand(this.call.set_real(one.reference, values[one.name]));
        for (const one of this.model.options)
            if (one.name in values)
                this.demand(this.call.set_integer(one.reference, values[one.name]));
    }

    /** Sets couplingMass, the mass that moves with the element in a host with a fixed step, where
     * the element has it. */
    setCouplingMass(mass) {
        if (this.model.couplingMass !== null)
            this.demand(this.call.set_real(this.model.couplingMass, mass));
    }

    start() {
        this.demand(this.call.start(TOLERANCE));
        this.columns = Array.from({ length: this.call.column_count() }, (_, i) =>
            this.read(this.call.column_name(i)),
        );
    }

    /** Changes something during a run, as an event. */
    change(call) {
        this.demand(this.call.begin_change());
        call();
        this.demand(this.call.end_change());
    }

    get(reference) {
        return this.call.get_real(reference);
    }

    /** The values of all parameters as the element has them now. */
    get parameters() {
        return Object.fromEntries(
            this.model.parameters.map((one) => [one.name, this.get(one.reference)]),
        );
    }

    get time() {
        return this.call.now();
    }

    counter(what) {
        return this.call.counter(["steps", "events"].indexOf(what));
    }

    /** Advances towards a time and passes the rows of results; returns whether it was reached. */
    advance(until, trials, onRow) {
        const good = this.call.advance(until, trials);
        const width = this.columns.length,
            count = this.call.take_rows();
        const rows = this.numbers(this.call.rows(), count * width);
        for (let i = 0; i < count; i++) onRow(rows.subarray(i * width, (i + 1) * width));
        this.demand(good);
        return this.time >= until;
    }
}
