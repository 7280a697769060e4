// One of the models on the page: its parameters, its run and the rows of it that the plots show.

const ROWS = 6000;
const TRIALS = 400; // between two readings of the clock
const REVERSAL_WEIGHT = 0.02; // of a step in the share of those that reverse the force: 50 count
const VISIBLE_CHANGE = 0.02; // of the force, relative to the largest

/** What the plots draw, by its names in systems and elements; the first one that has a column
 * counts. */
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

/** Units and words of a sliding element, and those of its rotational twin. */
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

    /** Restarts the run. Where the element refuses, `problem` says why, and there is no run. */
    restart(situation, settings, hand, host = { step: 0, mass: 0 }) {
        this.problem = "";
        this.fits = true;
        this.count = this.next = 0;
        this.column = {};
        this.element.hand = hand;
        this.place = [situation, settings];
        try {
            this.element.open(situation, settings, this.set, this.values, host.step);
            if (host.step) this.element.setCouplingMass(host.mass);
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
        this.isRotational = columns.includes("frictionTorque");
        this.width = columns.length;
        this.rows = new Float64Array(ROWS * this.width);
        this.lowestWork = this.largestForce = this.reversalShare = this.lastChange = 0;
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

    /** Advances to a time, or for so many milliseconds. */
    advance(until, milliseconds) {
        if (!this.running) return true;
        const deadline = performance.now() + milliseconds;
        try {
            while (!this.element.advance(until, TRIALS, (row) => this.store(row)))
                if (performance.now() > deadline) return false;
        } catch (refusal) {
            this.stop(refusal, true);
        }
        return true;
    }

    /** Stores a row for the plots, unless it hardly differs from the last one. */
    store(row) {
        const force = row[this.column.force],
            last = this.count ? ((this.next + ROWS - 1) % ROWS) * this.width : -1;
        this.largestForce = Math.max(this.largestForce, Math.abs(force));
        this.trackReversals(force);
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

    /** Tracks how often the force reverses from step to step. */
    trackReversals(force) {
        const change = this.newest ? force - this.newest[this.column.force] : 0,
            isVisible = Math.abs(change) > VISIBLE_CHANGE * this.largestForce,
            reverses = change * this.lastChange < 0 && isVisible;
        this.reversalShare += REVERSAL_WEIGHT * (Number(reverses) - this.reversalShare);
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

    /** Calls with the index of each stored row, the oldest first. */
    eachRow(call) {
        for (let i = 0; i < this.count; i++)
            call(((this.next - this.count + i + ROWS) % ROWS) * this.width);
    }

    /** The word or unit of this element. */
    word(text) {
        return this.isRotational ? (TURNED[text] ?? text) : text;
    }

    /** The newest value of one of COLUMNS. */
    now(name) {
        const at = this.column[name];
        return this.newest && at >= 0 ? this.newest[at] : NaN;
    }

    /** Sets new values, during the run where the parameter allows it. Restores what the element
     * refuses, and returns its sentence. */
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

    /** Tries the present values in another element: one in a host with a fixed step would refuse
     * them only in its next step, and stop there. */
    tryOut() {
        this.trial ??= new Element(this.module, this.model);
        this.trial.open(...this.place, this.set, this.values);
        this.trial.start();
    }

    /** Passes new settings or a moved hand to the running element. */
    update(settings, hand, host = this.host) {
        this.element.hand = hand;
        this.element.settings = settings;
        if (!this.running) return;
        try {
            if (host.step) {
                this.element.call.set_step(host.step);
                this.element.setCouplingMass(host.mass);
            }
            this.element.change(() => {});
        } catch (refusal) {
            this.stop(refusal, true);
        }
    }
}
