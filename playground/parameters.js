// Fields with a slider, for the parameters of the models and the settings of the situation.

const SLIDER_STEPS = 1000;

/** A number with a slider. `entry`: name, symbol, unit, factor, text, range, slider, start;
 * `onChange(value)` returns what is wrong, if anything. */
class Field {
    constructor(entry, value, onChange) {
        this.entry = entry;
        this.onChange = onChange;
        this.row = copyOf("field-template");
        const id = `field-${Field.count++}`,
            part = (name) => this.row.querySelector(name),
            range = entry.range && entry.range !== "any" ? ` Has to be ${entry.range}.` : "";
        [this.input, this.range] = this.row.querySelectorAll("input");
        this.reset = part(".reset");
        this.broken = part(".broken");
        this.input.id = part("label").htmlFor = id;
        this.input.setAttribute("aria-describedby", `${id}-about ${id}-broken`);
        this.range.max = SLIDER_STEPS;
        this.range.ariaLabel = `${entry.name}, slider`;
        this.reset.ariaLabel = `${entry.name}: back to the value before`;
        this.broken.id = `${id}-broken`;
        if (entry.symbol) {
            part(".symbol").innerHTML = entry.symbol;
            if (entry.index) part(".symbol").append(make("sub", {}, String(entry.index)));
        } else part(".symbol").remove();
        part(".name").textContent = entry.label ?? entry.name;
        part(".unit").textContent = prettyUnit(entry.unit);
        part(".about").id = `${id}-about`;
        part(".about").textContent = `${entry.text}.${range}`;
        this.row.dataset.name = entry.name;
        this.row.title = `${entry.text}.${range}`;
        this.input.addEventListener("change", () =>
            this.submit(
                Number(this.input.value.trim().replace(",", ".").replace("−", "-") || NaN) /
                    this.factor,
            ),
        );
        this.range.addEventListener("input", () =>
            this.submit(this.fromSlider(Number(this.range.value) / SLIDER_STEPS)),
        );
        this.reset.addEventListener("click", () => this.submit(this.base));
        this.base = value;
        this.show(value);
    }

    get factor() {
        return this.entry.factor ?? 1;
    }

    submit(value) {
        const complaint = Number.isFinite(value)
            ? this.onChange(value)
            : `${this.entry.name} has to be a number.`;
        this.complain(complaint);
        if (!complaint) this.show(value);
        else if (Number.isFinite(value) && document.activeElement === this.range)
            this.input.value = this.text(value);
    }

    complain(sentence) {
        this.broken.textContent = sentence ?? "";
        this.input.setAttribute("aria-invalid", String(Boolean(sentence)));
    }

    text(value) {
        return String(Number((value * this.factor).toPrecision(5)));
    }

    show(value) {
        this.input.value = this.text(value);
        this.range.value = Math.round(this.toSlider(value) * SLIDER_STEPS);
        this.range.setAttribute(
            "aria-valuetext",
            `${this.text(value)} ${prettyUnit(this.entry.unit)}`,
        );
        this.reset.hidden = value === this.base;
    }

    toSlider(value) {
        const { log, low, high } = this.entry.slider;
        return (
            clamp(
                log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low),
                0,
                1,
            ) || 0
        );
    }

    /** Rounded to what can be read; the ends and the base value are exact. */
    fromSlider(part) {
        const { log, low, high } = this.entry.slider;
        const value = log ? low * (high / low) ** part : low + (high - low) * part;
        if (Math.abs(part - this.toSlider(this.base)) < 0.6 / SLIDER_STEPS) return this.base;
        return Number(value.toPrecision(3));
    }
}
Field.count = 0;

/** An option: one of a few words. */
function optionRow(option, value, onChange) {
    const select = make("select", { ariaLabel: option.name });
    option.items.forEach((item, i) =>
        select.append(
            make(
                "option",
                { value: i + 1, selected: i + 1 === value, title: item.text },
                item.name,
            ),
        ),
    );
    select.addEventListener("change", () => onChange(Number(select.value)));
    const row = make(
        "div",
        { className: "field" },
        make(
            "div",
            { className: "head" },
            make("label", {}, make("span", { className: "name" }, option.name)),
            select,
        ),
        make("p", { className: "about" }, `${option.text}.`),
    );
    row.dataset.name = option.name;
    return row;
}
