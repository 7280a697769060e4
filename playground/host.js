// The host: one that solves law and body together, or one with a fixed step.

const FIRST_STEP = 1e-3; // s
const STEPS = { low: 1e-4, high: 1e-2 }; // s: of the slider
// Fraction of the steps in which the force reverses. A smooth force hardly ever does; under a load
// near the limit, a chattering one needs five steps to slide back.
const CHATTERS = 0.1;

class Host {
    /** `onChange(restart)` is called after each change. */
    constructor(onChange) {
        this.release();
        const entry = {
            name: "hostStep",
            label: "step of the host",
            unit: "ms",
            factor: 1e3,
            range: "greater than 0",
            text: "The force is held for so long, as co-simulation masters do",
            slider: { log: true, ...STEPS },
        };
        this.field = new Field(entry, FIRST_STEP, (value) => {
            if (!(value > 0)) return `hostStep = ${value} must be greater than 0.`;
            this.step = value;
            onChange(false);
            return "";
        });
        byId("host-step").replaceWith(this.field.row);
        byId("host").addEventListener("change", () => {
            this.step = byId("host").value === "fixed" ? FIRST_STEP : 0;
            this.show();
            onChange(true);
        });
        byId("coupled").addEventListener("change", () => {
            this.coupled = byId("coupled").checked;
            onChange(true);
        });
    }

    release() {
        this.step = 0; // 0: variable, with law and body solved together
        this.coupled = false;
    }

    /** The step for a slot, and the couplingMass of its element. */
    slotSettings(situation, settings) {
        const { mass = 0 } = situation.complete(settings);
        return { step: this.step, mass: this.step && this.coupled ? mass : 0 };
    }

    /** Shows the host in its controls. */
    show() {
        byId("host").value = this.step ? "fixed" : "variable";
        byId("host-more").hidden = !this.step;
        byId("coupled").checked = this.coupled;
        this.field.complain("");
        this.field.show(this.step || FIRST_STEP);
    }

    /** Says whether the models chatter. */
    describe(slots) {
        const sentences = slots
            .filter((slot) => slot.running)
            .map((slot) => {
                const { name, couplingMass } = slot.model;
                if (this.coupled && couplingMass === null) return `${name} has no couplingMass.`;
                const part = `${Math.round(100 * slot.reversalShare)} % of the last steps`;
                return slot.reversalShare > CHATTERS
                    ? `${name} chatters: its force reverses in ${part}.`
                    : `${name} does not chatter.`;
            });
        return this.step ? sentences.join(" ") : "";
    }
}
