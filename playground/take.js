// Exports: parameters as a file and as lines for tools, pictures, traces.

const SSV = "http://ssp-standard.org/SSP1/SystemStructureParameterValues";

/** All parameters and options of a slot with their values, and whether they differ from the
 * model's defaults. */
function allValues(slot) {
    const reals = slot.model.parameters.map((one) => ({
        name: one.name,
        value: slot.parameters[one.name],
        differs: slot.parameters[one.name] !== one.start,
        kind: "Real",
    }));
    const options = slot.model.options.map((one) => ({
        name: one.name,
        value: slot.options[one.name],
        differs: slot.options[one.name] !== one.start,
        kind: "Integer",
    }));
    return [...reals, ...options];
}

/** Quotes a text for XML. */
const quotedXml = (text) =>
    String(text).replace(/[&<>"]/g, (letter) => `&#${letter.charCodeAt(0)};`);

function ssvText(slot, version) {
    const lines = allValues(slot).map(
        ({ name, value, kind }) =>
            `    <ssv:Parameter name="${quotedXml(name)}">\n` +
            `      <ssv:${kind} value="${value}" />\n    </ssv:Parameter>`,
    );
    return (
        `<?xml version="1.0" encoding="UTF-8"?>\n` +
        `<ssv:ParameterSet xmlns:ssv="${SSV}" version="1.0" name="${slot.model.name}" ` +
        `description="Parameters of ${slot.model.name} from the playground" ` +
        `generationTool="Bristle ${quotedXml(version)}">\n  <ssv:Parameters>\n` +
        `${lines.join("\n")}\n  </ssv:Parameters>\n</ssv:ParameterSet>\n`
    );
}

/** The name that OpenModelica makes of a variable's name. */
const inModelica = (name) => name.replace(/[.[\](),]/g, "_");

/** Lines for tools, each with the values that differ. */
const TOOLS = {
    FMPy: (slot) => {
        const values = allValues(slot)
            .filter((one) => one.differs)
            .map(({ name, value }) => `    "${name}": ${value},`);
        return (
            `from fmpy import simulate_fmu\n\nresult = simulate_fmu("dist/${slot.model.name}` +
            `.fmu", start_values={\n${values.join("\n")}${values.length ? "\n" : ""}})`
        );
    },
    OpenModelica: (slot) => {
        const values = allValues(slot)
            .filter((one) => one.differs)
            .map(({ name, value }) => `${inModelica(name)} = ${value}`);
        return (
            `// after importFMU("${slot.model.name}.fmu")\n` +
            `${slot.model.name}_me_FMU ` +
            `friction${values.length ? `(\n  ${values.join(",\n  ")})` : ""};`
        );
    },
    rig: (slot, situation, settings) => {
        const parameters = situation.settings
            .filter((one) => one.name in settings && settings[one.name] !== one.start)
            .map((one) => `--param ${one.name}=${settings[one.name]}`);
        const values = Object.entries(
            slot.set === ""
                ? slot.values
                : Object.fromEntries(allValues(slot).map(({ name, value }) => [name, value])),
        ).map(([name, value]) => `--set "${name}=${value}"`);
        return [
            `build/rig/rig ${situation.name} dist/${slot.model.name}.fmu`,
            ...parameters,
            ...values,
            "-o out.csv",
        ].join(" \\\n  ");
    },
};

/** The stored rows of all slots as the rig writes them: one line per model and time, empty where
 * a model has no such variable. */
function csvText(slots) {
    const names = [...new Set(slots.flatMap((slot) => slot.element.columns ?? []))];
    const lines = [["model", ...names].join(",")];
    for (const slot of slots) {
        if (!slot.count) continue;
        const at = names.map((name) => slot.element.columns.indexOf(name));
        slot.eachRow((row) =>
            lines.push(
                [
                    slot.model.name,
                    ...at.map((column) => (column < 0 ? "" : slot.rows[row + column])),
                ].join(","),
            ),
        );
    }
    return `${lines.join("\n")}\n`;
}

/** All plots in one picture with a legend. */
function svgText(plots, slots, view, title) {
    const pen = new SvgPen(),
        width = 460,
        height = 270,
        gap = 18,
        top = 64;
    const drawn = slots.filter((slot) => slot.count);
    pen.text(title, gap, 28, colours.ink, { size: 17, weight: 650 });
    drawn.forEach((slot, i) => {
        const x = gap + i * 210;
        pen.line([x, 46, x + 30, 46], colourOf(slot), 2.4, DASHES[slot.index]);
        pen.text(slot.model.name, x + 38, 50, colours.ink, { size: 13 });
    });
    let [x, y] = [0, top];
    for (const plot of plots) {
        const isWide = plot instanceof ModePlot,
            [w, h] = isWide ? [2 * width + gap, 118] : [width, height];
        if (isWide && x) [x, y] = [0, y + height + gap];
        pen.moved(gap + x, y, () => {
            pen.text(plot.title, MARGIN.left, 14, colours.soft, { size: 12, weight: 600 });
            pen.moved(0, 22, () => plot.draw(pen, w, h - 22, slots, view));
        });
        if (isWide || x) [x, y] = [0, y + h + gap];
        else x = width + gap;
    }
    return pen.file(2 * width + 3 * gap, y + (x ? height + gap : 0) + 6);
}
