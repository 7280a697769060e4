// A situation: a system of the rig, its settings and the hand of the visitor.

/** The unit in which a setting is shown: with a prefix where its value is small. */
function displayed({ start, unit }) {
    if (!/^(m|m\/s|s|N)$/.test(unit) || !start || Math.abs(start) >= 0.02)
        return { unit, factor: 1 };
    const { name, factor } = suitable(Math.abs(start), unit);
    return { unit: name, factor: 1 / factor };
}

/** The entry of the page's list together with the module's description of the system. */
class Situation {
    constructor(entry, described) {
        Object.assign(this, described, {
            title: entry.title,
            fullTitle: described.title,
            summary: entry.summary,
            pace: entry.pace,
            window: entry.window,
            endless: entry.endless,
        });
    }

    /** All settings by name: the given ones, for all others the system's own. */
    complete(values) {
        return Object.fromEntries(
            this.settings.map((one) => [one.name, values[one.name] ?? one.start]),
        );
    }

    /** The same in the order of the module. */
    listed(values) {
        return Object.values(this.complete(values));
    }

    /** The force that presses the body down without the hand. */
    weight(values) {
        const all = this.complete(values);
        return all.normalForce ?? all.mass * (all.gravity ?? 9.81);
    }

    /** Why a value is refused, or nothing. */
    objection(name, value) {
        const one = this.settings.find((setting) => setting.name === name);
        if (!Number.isFinite(value)) return `${name} has to be a number.`;
        if (one.open && value <= 0) return `${name} = ${value} must be greater than 0.`;
        if (value < one.low) return `${name} = ${value} must be at least ${one.low}.`;
        return "";
    }

    slider(one) {
        if (one.low >= 0 && one.start > 0)
            return { log: true, low: one.start / 30, high: one.start * 30 };
        const size = 3 * (Math.abs(one.start) || 1);
        return { log: false, low: Math.max(one.low, -size), high: size };
    }
}

/** The hand on the bodies; all of them feel the same one. */
class Hand {
    constructor() {
        this.release();
        this.press = 0;
    }

    release() {
        Object.assign(this, {
            holds: false,
            place: 0,
            stiffness: 0,
            damping: 0,
            force: 0,
            extraPress: 0,
        });
    }

    /** Holds the body by a spring that is as stiff on the screen at any scale: pulled over the
     * whole scene it gives several times the weight. */
    hold(place, sceneWidth, weight, mass) {
        this.holds = true;
        this.place = place;
        this.stiffness = (8 * weight) / sceneWidth;
        this.damping = 1.2 * Math.sqrt(this.stiffness * mass);
    }

    get numbers() {
        return [
            Number(this.holds),
            this.place,
            this.stiffness,
            this.damping,
            this.force,
            this.press + this.extraPress,
        ];
    }
}
