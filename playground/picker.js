// The list of all models: grouped as in the README, searched by any word, twins too.

class Picker {
    constructor(catalogue) {
        this.catalogue = catalogue;
        this.dialog = byId("picker");
        this.search = byId("picker-search");
        this.search.addEventListener("input", () => this.filter());
        this.search.addEventListener("keydown", (event) => {
            if (event.key !== "Enter") return;
            event.preventDefault();
            this.best?.click();
        });
        byId("picker-close").addEventListener("click", () => this.dialog.close());
        this.dialog.addEventListener("click", (event) => {
            if (event.target === this.dialog) this.dialog.close();
        });
    }

    /** Lets the visitor choose a model. `placeOf(model)`: where it runs, if not in the present
     * situation. */
    ask(current, placeOf, choose) {
        const groups = this.catalogue.kinds.map(({ name, caption }) => {
            const models = this.catalogue.models.filter((model) => model.kind === name);
            const [head, ...rest] = caption.split(": ");
            return make(
                "section",
                { hidden: !models.length },
                make("h3", {}, head, make("small", {}, ` ${rest.join(": ")}`)),
                ...models.map((model) => this.row(model, current, placeOf(model), choose)),
            );
        });
        byId("picker-list").replaceChildren(...groups);
        this.search.value = "";
        this.filter();
        this.dialog.showModal();
        this.search.focus();
    }

    row(model, current, place, choose) {
        const button = make(
            "button",
            { className: "model", "aria-pressed": String(model === current) },
            make("b", {}, model.name),
            make("span", {}, model.title),
        );
        const notes = [];
        if (!model.isTwin && model.otherForms.length)
            notes.push(`for a joint: ${model.otherForms.join(", ")}`);
        if (place) notes.push(`runs in “${place}”`);
        if (notes.length) button.append(make("small", {}, notes.join("; ")));
        button.model = model;
        button.words = [model.name, model.title, model.summary, model.choose]
            .join(" ")
            .toLowerCase();
        button.addEventListener("click", () => {
            this.dialog.close();
            choose(model);
        });
        return button;
    }

    /** The choice of Enter: the model of that name, else the first of the list. */
    get best() {
        const shown = [...this.dialog.querySelectorAll("button.model:not([hidden])")],
            wanted = this.search.value.trim().toLowerCase();
        return shown.find((button) => button.model.name.toLowerCase() === wanted) ?? shown[0];
    }

    /** Shows the models whose texts have all words of the search; twins where there are any. */
    filter() {
        const words = this.search.value.toLowerCase().split(/\s+/).filter(Boolean);
        let found = 0;
        for (const group of byId("picker-list").children) {
            const buttons = [...group.querySelectorAll("button")];
            for (const button of buttons) {
                button.hidden = words.length
                    ? !words.every((word) => button.words.includes(word))
                    : button.model.isTwin;
                found += Number(!button.hidden);
            }
            group.hidden = buttons.every((button) => button.hidden);
        }
        const all = this.catalogue.models.length;
        byId("picker-count").textContent = !found
            ? "No model has these words."
            : words.length
              ? `${found} of ${all} models and twins`
              : `${found} models; the search also finds ${all - found} twins for joints`;
    }
}
