// Plots, drawn by the same code on a canvas or into an SVG file. The report has them too.

const FONT = 'system-ui, -apple-system, "Segoe UI", Roboto, "Liberation Sans", sans-serif';
const MARGIN = { left: 54, right: 10, top: 8, bottom: 34 }; // of a plot, for the labels of its axes
const TICK_DIGITS = 6; // after the point at most; beyond, numbers have an exponent

/** The colours of the style sheet that drawings have, as they are now. */
let colours = {};

function readColours() {
    const style = getComputedStyle(document.documentElement);
    for (const name of "ink soft faint line paper tint one two three".split(" "))
        colours[name] = style.getPropertyValue(`--${name}`).trim();
}

matchMedia("(prefers-color-scheme: dark)").addEventListener("change", readColours);
readColours();

/** Line ends: butt ones leave the gaps of a dashed line their length. */
const cap = (dash) => (dash.length ? "butt" : "round");

/** Draws on a canvas. */
class CanvasPen {
    constructor(canvas) {
        this.canvas = canvas;
        this.context = canvas.getContext("2d");
    }

    /** Adapts the canvas to its size on the page, and clears it. */
    begin() {
        const ratio = window.devicePixelRatio || 1,
            { clientWidth: width, clientHeight: height } = this.canvas;
        if (
            this.canvas.width !== Math.round(width * ratio) ||
            this.canvas.height !== Math.round(height * ratio)
        ) {
            this.canvas.width = Math.round(width * ratio);
            this.canvas.height = Math.round(height * ratio);
        }
        this.context.setTransform(ratio, 0, 0, ratio, 0, 0);
        this.context.clearRect(0, 0, width, height);
        return { width, height };
    }

    paint(fill, stroke, width) {
        const c = this.context;
        if (fill) {
            c.fillStyle = fill;
            c.fill();
        }
        if (!stroke) return;
        c.strokeStyle = stroke;
        c.lineWidth = width;
        c.stroke();
    }

    /** A line through points x0, y0, x1, y1, … */
    line(points, colour, width = 1, dash = [], closed = false, fill = null) {
        const c = this.context;
        c.beginPath();
        for (let i = 0; i < points.length; i += 2) c.lineTo(points[i], points[i + 1]);
        if (closed) c.closePath();
        c.lineJoin = "round";
        c.lineCap = cap(dash);
        c.setLineDash(dash);
        this.paint(fill, colour, width);
        c.setLineDash([]);
    }

    box(x, y, width, height, fill, stroke = null, radius = 0, lineWidth = 1) {
        this.context.beginPath();
        this.context.roundRect(x, y, width, height, radius);
        this.paint(fill, stroke, lineWidth);
    }

    dot(x, y, radius, fill, stroke = null) {
        this.context.beginPath();
        this.context.arc(x, y, radius, 0, 2 * Math.PI);
        this.paint(fill, stroke, 1.5);
    }

    text(text, x, y, colour, { size = 12, align = "start", turned = false, weight = 400 } = {}) {
        const c = this.context;
        c.save();
        c.translate(x, y);
        if (turned) c.rotate(-Math.PI / 2);
        c.font = `${weight} ${size}px ${FONT}`;
        c.fillStyle = colour;
        c.textAlign = align;
        c.textBaseline = "alphabetic";
        c.fillText(text, 0, 0);
        c.restore();
    }

    clipped(x, y, width, height, call) {
        this.context.save();
        this.context.beginPath();
        this.context.rect(x, y, width, height);
        this.context.clip();
        call();
        this.context.restore();
    }
}

/** Writes SVG. */
class SvgPen {
    constructor() {
        this.parts = [];
        this.clips = 0;
    }

    static number(value) {
        return String(Math.round(value * 100) / 100);
    }

    paint(shape, fill, stroke, width) {
        this.parts.push(
            `<${shape} fill="${fill ?? "none"}" stroke="${stroke ?? "none"}" ` +
                `stroke-width="${width}"/>`,
        );
    }

    line(points, colour, width = 1, dash = [], closed = false, fill = null) {
        const pairs = [];
        for (let i = 0; i < points.length; i += 2)
            pairs.push(`${SvgPen.number(points[i])},${SvgPen.number(points[i + 1])}`);
        const shape =
            `${closed ? "polygon" : "polyline"} points="${pairs.join(" ")}" ` +
            `stroke-linejoin="round" stroke-linecap="${cap(dash)}" ` +
            `stroke-dasharray="${dash.join(" ") || "none"}"`;
        this.paint(shape, fill, colour, width);
    }

    static rectangle(...sides) {
        const [x, y, width, height] = sides.map(SvgPen.number);
        return `rect x="${x}" y="${y}" width="${width}" height="${height}"`;
    }

    box(x, y, width, height, fill, stroke = null, radius = 0, lineWidth = 1) {
        const shape = `${SvgPen.rectangle(x, y, width, height)} rx="${radius}"`;
        this.paint(shape, fill, stroke, lineWidth);
    }

    dot(x, y, radius, fill, stroke = null) {
        const [a, b] = [x, y].map(SvgPen.number);
        this.paint(`circle cx="${a}" cy="${b}" r="${radius}"`, fill, stroke, 1.5);
    }

    text(text, x, y, colour, { size = 12, align = "start", turned = false, weight = 400 } = {}) {
        const anchor = align === "center" ? "middle" : align,
            [a, b] = [x, y].map(SvgPen.number),
            escaped = text.replace(/[&<>]/g, (letter) => `&#${letter.charCodeAt(0)};`);
        this.parts.push(
            `<text transform="translate(${a} ${b})${turned ? " rotate(-90)" : ""}" ` +
                `fill="${colour}" font-size="${size}" font-weight="${weight}" ` +
                `text-anchor="${anchor}">${escaped}</text>`,
        );
    }

    clipped(x, y, width, height, call) {
        const id = `clip${this.clips++}`;
        this.parts.push(
            `<clipPath id="${id}"><${SvgPen.rectangle(x, y, width, height)}/></clipPath>` +
                `<g clip-path="url(#${id})">`,
        );
        call();
        this.parts.push("</g>");
    }

    /** Moves everything that `call` draws. */
    moved(x, y, call) {
        this.parts.push(`<g transform="translate(${SvgPen.number(x)} ${SvgPen.number(y)})">`);
        call();
        this.parts.push("</g>");
    }

    file(width, height) {
        return (
            `<svg xmlns="http://www.w3.org/2000/svg" width="${width}" height="${height}" ` +
            `viewBox="0 0 ${width} ${height}" font-family='${FONT}'>\n` +
            `<rect width="100%" height="100%" fill="${colours.paper}"/>\n` +
            `${this.parts.join("\n")}\n</svg>\n`
        );
    }
}

/** An SVG as a PNG of twice its size. */
async function pngBlob(svg) {
    const image = new Image();
    image.src = `data:image/svg+xml;charset=utf-8,${encodeURIComponent(svg)}`;
    await image.decode();
    const canvas = make("canvas", {
        width: 2 * image.naturalWidth,
        height: 2 * image.naturalHeight,
    });
    canvas.getContext("2d").drawImage(image, 0, 0, canvas.width, canvas.height);
    return new Promise((give) => canvas.toBlob(give, "image/png"));
}

/** One axis: its range and its label. */
class Axis {
    low = 0;
    high = 1;

    constructor(words) {
        this.words = words;
    }

    get label() {
        return this.words;
    }

    /** The unit of the labels in that of the values. */
    get factor() {
        return 1;
    }

    span(low, high) {
        this.low = low;
        this.high = high;
    }

    ticks(count) {
        const low = this.low / this.factor,
            high = this.high / this.factor;
        let step = niceBelow((high - low) / count);
        while ((high - low) / step > count + 0.5) step = niceBelow(2.6 * step);
        const digits = Math.max(-Math.floor(Math.log10(step) + 1e-9), 0),
            largest = Math.max(Math.abs(low), Math.abs(high)),
            isPlain = digits <= TICK_DIGITS && largest < 1e6,
            written = (value) =>
                isPlain
                    ? value.toFixed(digits).replace("-", "−")
                    : shown(value, Math.ceil(Math.log10(largest / step)) + 1);
        const ticks = [];
        for (let i = Math.ceil(low / step - 1e-9); i * step <= high * (1 + 1e-12) + 1e-12; i++)
            ticks.push({ at: i * step * this.factor, text: written(i * step || 0) });
        return ticks;
    }
}

/** Two axes in a place of this size. */
class Frame {
    constructor(width, height, x, y) {
        Object.assign(this, { x, y, left: MARGIN.left, top: MARGIN.top });
        this.width = width - MARGIN.left - MARGIN.right;
        this.height = height - MARGIN.top - MARGIN.bottom;
        this.right = this.left + this.width;
        this.bottom = this.top + this.height;
    }

    /** Pixels of a value, and the reverse. */
    px(value) {
        return this.left + ((value - this.x.low) / (this.x.high - this.x.low)) * this.width;
    }

    py(value) {
        return this.bottom - ((value - this.y.low) / (this.y.high - this.y.low)) * this.height;
    }

    xAt(place) {
        return this.x.low + ((place - this.left) / this.width) * (this.x.high - this.x.low);
    }

    yAt(place) {
        return this.y.low + ((this.bottom - place) / this.height) * (this.y.high - this.y.low);
    }

    /** The axes, and the lines between them, each with `eachPoint(call)`, `colour`, `dash` and,
     * where it has a dot, its `end`. */
    draw(pen, lines) {
        const small = { size: 11, align: "end" };
        for (const { at, text } of this.x.ticks(clamp(this.width / 62, 2, 8))) {
            const x = this.px(at);
            pen.line([x, this.top, x, this.bottom], at === 0 ? colours.faint : colours.line);
            pen.text(text, x, this.bottom + 14, colours.soft, { size: 11, align: "center" });
        }
        for (const { at, text } of this.y.ticks(clamp(this.height / 34, 2, 6))) {
            const y = this.py(at);
            pen.line([this.left, y, this.right, y], at === 0 ? colours.faint : colours.line);
            pen.text(text, this.left - 6, y + 4, colours.soft, small);
        }
        pen.text(this.x.label, this.right, this.bottom + 29, colours.soft, small);
        pen.text(this.y.label, 11, this.top, colours.soft, { ...small, turned: true });
        pen.clipped(this.left, this.top - 2, this.width + 2, this.height + 4, () => {
            for (const line of lines) pen.line(this.points(line), line.colour, 1.8, line.dash);
            for (const { colour, end } of lines)
                if (end) pen.dot(this.px(end[0]), this.py(end[1]), 3.6, colour, colours.paper);
        });
    }

    /** The points of a line that can be distinguished. */
    points({ eachPoint }) {
        const points = [];
        eachPoint((x, y) => {
            const a = this.px(x),
                b = this.py(y),
                last = points.length;
            if (last < 2 || Math.abs(a - points[last - 2]) + Math.abs(b - points[last - 1]) > 0.4)
                points.push(a, b);
        });
        return points;
    }
}
