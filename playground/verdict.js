// The verdict on a model with its present parameters, measured in short runs of the papers'
// systems, as in the report.

const REST_SPEED = 1e-6; // m/s: below it a body rests
const NO_DRIFT = 1e-6; // m
const NO_ENERGY = 1e-6; // J
const GRIP_TIME = 9; // s: by then the belt has carried every body to its first break-away
// m: stretch of the spring at the static limit, as in the paper
const GRIP_STRETCH = 0.7357;

/** Waits until the page has drawn. */
const pause = () => new Promise((go) => setTimeout(go));

class Verdict {
    constructor(module, model) {
        this.element = new Element(module, model);
        this.round = 0;
    }

    /** The static limit as the parameters give it, for a normal force; NaN where they do not. */
    static limit(parameters, normal) {
        return (parameters.staticFriction ?? parameters.dynamicFriction ?? NaN) * normal;
    }

    /** Runs a system; returns the rows of the named columns. A later measurement ends it. */
    async run(round, system, settings, parameters, stop, names) {
        const situation = this.element.situations.find((one) => one.name === system);
        if (!situation) throw new Refusal("");
        const values = situation.settings.map((one) => settings[one.name] ?? one.start),
            rows = [];
        this.element.hand = [0, 0, 0, 0, 0, 0];
        this.element.open(system, values, null, parameters);
        this.element.start();
        const at = names.map((name) => this.element.columns.indexOf(name));
        const store = (row) => rows.push(at.map((column) => row[column]));
        while (!this.element.advance(stop, 150, store)) {
            await pause();
            if (round !== this.round) throw new Refusal("");
        }
        return rows;
    }

    /** Reports each result when it is there: its name and { text, good }. */
    async measure(parameters, report) {
        const round = ++this.round,
            pulse = this.element.situations.find((one) => one.name === "pulse");
        const weight = pulse
            ? pulse.settings.find((one) => one.name === "mass").start *
              pulse.settings.find((one) => one.name === "gravity").start
            : NaN;
        const limit = Verdict.limit(parameters, weight),
            load = (Number.isFinite(limit) ? limit : 0.5 * weight) / 3;
        const steps = {
            holds: async () => {
                const rows = await this.run(round, "pulse", { load, duration: 2 }, parameters, 1, [
                    "velocity",
                ]);
                const speed = Math.abs(rows.at(-1)[0]);
                return speed < REST_SPEED
                    ? { text: "yes", good: true }
                    : { text: `creeps, ${quantity(speed, "m/s")}`, good: false };
            },
            drift: async () => {
                const rows = await this.run(round, "pulse", { load }, parameters, 0.4, [
                    "time",
                    "position",
                ]);
                const half = rows.find(([time]) => time >= 0.2 - 1e-12),
                    drift = rows.at(-1)[1] - half[1];
                return Math.abs(drift) < NO_DRIFT
                    ? { text: "none", good: true }
                    : { text: quantity(drift, "m"), good: false };
            },
            breakaway: async () => {
                const stiffness = (Number.isFinite(limit) ? limit : weight) / GRIP_STRETCH;
                const rows = await this.run(
                    round,
                    "belt",
                    { springStiffness: stiffness },
                    parameters,
                    GRIP_TIME,
                    ["frictionForce"],
                );
                const peak = Math.max(...rows.map(([force]) => Math.abs(force)));
                if (!Number.isFinite(limit))
                    return { text: `μ = ${shown(peak / weight, 3)}`, good: null };
                return { text: shown(peak / limit, 3), good: Math.abs(peak / limit - 1) < 0.01 };
            },
        };
        for (const [name, step] of Object.entries(steps)) {
            try {
                const result = await step();
                if (round !== this.round) return;
                report(name, result);
            } catch (refusal) {
                if (!(refusal instanceof Refusal)) throw refusal;
                if (round !== this.round) return;
                report(name, { text: "–", good: null, why: refusal.message });
            }
        }
    }
}

/** The verdict of the run on the page. */
function liveVerdict(slot) {
    if (!slot.count || !slot.newest)
        return { energy: { text: "–", good: null }, events: { text: "–", good: null } };
    const work = slot.now("work"),
        gained = -slot.lowestWork,
        time = slot.now("time");
    if (slot.host.step)
        return { energy: { text: "–", good: null }, events: { text: "–", good: null } };
    const energy =
        gained > NO_ENERGY
            ? { text: `gave ${quantity(gained, "J")}`, good: false }
            : { text: `took ${quantity(work, "J")}`, good: true };
    const rate = time > 0 ? slot.element.counter("events") / time : 0;
    return { energy, events: { text: shown(rate, 3), good: null } };
}
