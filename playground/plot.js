// The plots of a run, drawn while it runs.

const DASHES = [[], [10, 3], [4, 2]];
/** Names of colours that any colour vision distinguishes (after Okabe and Ito). */
const MARKS = ["one", "two", "three"];
const colourOf = (slot) => colours[MARKS[slot.index]];

/** An axis that opens at once and closes slowly, so that a plot does not twitch. Its numbers are in
 * a unit that suits them. */
class LiveAxis extends Axis {
    constructor(unit, words, about = null) {
        super(words);
        this.unit = unit;
        this.about = about; // a value that is always visible
        this.span(Infinity, -Infinity);
    }

    fit(low, high) {
        if (this.about !== null) {
            low = Math.min(low, this.about);
            high = Math.max(high, this.about);
        }
        if (!(low <= high)) [low, high] = [0, 1];
        const span = Math.max(high - low, 1e-9 * Math.max(Math.abs(low), Math.abs(high)), 1e-12);
        low -= 0.06 * span;
        high += 0.06 * span;
        const slow = 0.04;
        this.span(
            this.low < low ? this.low + slow * (low - this.low) : low,
            this.high > high ? this.high + slow * (high - this.high) : high,
        );
    }

    get suitable() {
        return suitable(Math.max(Math.abs(this.low), Math.abs(this.high)), this.unit);
    }

    get factor() {
        return this.suitable.factor;
    }

    get label() {
        return `${this.words} in ${this.suitable.name}`;
    }
}

/** Lines of all slots over each other. `xName` and `yName` are names of COLUMNS. */
class Plot {
    constructor({ id, title, x, y }) {
        Object.assign(this, { id, given: { title, x, y }, xName: x.name, yName: y.name });
        this.relabel((text) => text);
    }

    /** Changes words and units of title and axes to those of the element. */
    relabel(word) {
        const { title, x, y } = this.given;
        this.title = sentence(title.toLowerCase().replace(/\w+/g, word));
        this.x = new LiveAxis(word(x.unit), word(x.label), x.about);
        this.y = new LiveAxis(word(y.unit), word(y.label), y.about);
    }

    draw(pen, width, height, slots, view) {
        const drawn = slots.filter(
            (slot) => slot.count && slot.column[this.xName] >= 0 && slot.column[this.yName] >= 0,
        );
        this.fit(drawn, view);
        const lines = drawn.map((slot) => ({
            eachPoint: (call) => this.eachPoint(slot, view, call),
            colour: colourOf(slot),
            dash: DASHES[slot.index],
            end: [slot.now(this.xName), slot.now(this.yName)],
        }));
        new Frame(width, height, this.x, this.y).draw(pen, lines);
    }

    eachPoint(slot, view, call) {
        const x = slot.column[this.xName],
            y = slot.column[this.yName];
        slot.eachRow((at) => {
            if (slot.rows[at] >= view.from) call(slot.rows[at + x], slot.rows[at + y]);
        });
        call(slot.now(this.xName), slot.now(this.yName));
    }

    fit(lines, view) {
        let [lowX, highX, lowY, highY] = [Infinity, -Infinity, Infinity, -Infinity];
        for (const slot of lines) {
            this.eachPoint(slot, view, (x, y) => {
                lowX = Math.min(lowX, x);
                highX = Math.max(highX, x);
                lowY = Math.min(lowY, y);
                highY = Math.max(highY, y);
            });
        }
        this.ends = { lowX, highX, lowY, highY };
        if (this.xName === "time") this.x.span(view.from, view.to);
        else this.x.fit(lowX, highX);
        this.y.fit(lowY, highY);
    }

    /** Describes the plot in words. */
    description(slots) {
        const names = slots
            .filter((slot) => slot.count)
            .map((slot) => slot.model.name)
            .join(", ");
        if (!names || !this.ends) return `${this.title}: nothing yet.`;
        const { lowX, highX, lowY, highY } = this.ends;
        return (
            `${this.title} of ${names}: ${this.y.words} between ` +
            `${quantity(lowY, this.y.unit)} and ${quantity(highY, this.y.unit)}, ${this.x.words} ` +
            `between ${quantity(lowX, this.x.unit)} and ${quantity(highX, this.x.unit)}.`
        );
    }
}

/** The modes over time: a strip for each mode of each slot. */
class ModePlot {
    id = "modes";
    title = "Mode";

    relabel() {}

    /** Shades of a slot's colour, one per item. */
    static shade(items, value) {
        return items.length > 1 ? 0.12 + (0.8 * (value - 1)) / (items.length - 1) : 0.5;
    }

    draw(pen, width, height, slots, view) {
        const running = slots.filter((slot) => slot.count),
            bare = running.filter((slot) => !slot.modeColumns.length),
            strips = running.flatMap((slot) => slot.modeColumns.map((mode, i) => [slot, mode, i])),
            space = height - (bare.length ? 20 : 4),
            each = clamp(space / Math.max(strips.length, 1), 6, 26);
        strips.forEach(([slot, mode, i], row) => {
            const isOneOfSome = slot.modeColumns.length > 1,
                place = {
                    left: MARGIN.left,
                    top: 2 + row * each,
                    width: width - MARGIN.left - MARGIN.right,
                    height: each - (isOneOfSome ? 1 : 4),
                };
            const middle = place.top + place.height / 2;
            if (i === 0) pen.dot(place.left - 16, middle, 4, colourOf(slot));
            const { left, top, width: across, height: down } = place;
            pen.clipped(left, top, across, down, () =>
                this.drawStrip(pen, slot, mode, place, view),
            );
        });
        const names = bare.map((slot) => slot.model.name).join(", ");
        if (names)
            pen.text(
                `${names}: no modes, the law is one piece.`,
                MARGIN.left,
                height - 6,
                colours.soft,
            );
    }

    drawStrip(pen, slot, [at, items], { left, top, width, height }, view) {
        const px = (time) => left + ((time - view.from) / (view.to - view.from)) * width;
        pen.box(left, top, width, height, colours.tint);
        let since = NaN,
            mode = NaN;
        const finish = (end) => {
            if (Number.isNaN(mode)) return;
            const shade = ModePlot.shade(items, mode),
                alpha = Math.round(255 * shade)
                    .toString(16)
                    .padStart(2, "0");
            const x0 = Math.max(px(since), left),
                x1 = px(end);
            pen.box(x0, top, Math.max(x1 - x0, 0.75), height, colourOf(slot) + alpha);
            if (height >= 14 && x1 - x0 > 62) {
                const ink = shade > 0.55 ? colours.paper : colours.ink;
                const name = inWords(items[mode - 1]);
                pen.text(name, x0 + 5, top + height / 2 + 4, ink, { size: 11 });
            }
        };
        const advance = (time, value) => {
            if (value === mode) return;
            finish(time);
            since = time;
            mode = value;
        };
        slot.eachRow((row) => {
            if (slot.rows[row] >= view.from) advance(slot.rows[row], slot.rows[row + at]);
        });
        if (slot.newest) advance(slot.newest[0], slot.newest[at]);
        finish(slot.now("time"));
    }

    description(slots) {
        const texts = slots
            .filter((slot) => slot.newest)
            .map(
                (slot) =>
                    `${slot.model.name} ` +
                    (slot.modeColumns
                        .map(([at, items]) => inWords(items[slot.newest[at] - 1]))
                        .join(", ") || "has no modes"),
            );
        return `${this.title}: ${texts.join("; ") || "nothing yet"}.`;
    }
}
