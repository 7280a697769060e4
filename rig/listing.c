#include "listing.h"

#include <stddef.h>

void list_systems(void) {
    for (const System *const *s = systems; *s; s++) printf("%-12s %s\n", (*s)->name, (*s)->title);
    puts("\nrig list SYSTEM lists the parameters of one.");
}

static void print_quantities(const char *heading, const Quantity *list) {
    if (!list || !list->name) return;
    printf("\n%s\n", heading);
    for (; list->name; list++) printf("  %-20s %-8s %s\n", list->name, list->unit, list->text);
}

static void print_names(const char *heading, const char *const *names) {
    printf("    %s", heading);
    for (; *names; names++) printf(" %s", *names);
    putchar('\n');
}

void describe_system(const System *s) {
    printf("%s: %s\n%s\n", s->name, s->title, s->source);
    if (s->reads_table)
        puts("\nNeeds --input FILE.csv: columns time and inputs of the FMU, linear between rows; a "
             "repeated time is a "
             "jump.");
    else
        printf("\nRuns for %g s, a row each %g s\n", s->stop, s->interval);
    if (s->parameters && s->parameters->name) {
        puts("\nParameters (--param name=value)");
        for (const Parameter *p = s->parameters; p->name; p++)
            printf("  %-20s %-8s %-10g %s\n", p->name, p->unit, p->value, p->text);
    }
    print_quantities("States", s->states);
    print_quantities("Outputs", s->outputs);
    puts("\nContacts");
    for (const Contact *c = s->contacts; c->name; c++) {
        printf("  %s, parameter set %s\n", c->name, c->set ? c->set : "none");
        if (!s->reads_table) print_names("gives the FMU", c->inputs);
        if (*c->outputs) print_names("takes from it", c->outputs);
    }
}

static void print_string(const char *text) {
    putchar('"');
    for (; *text; text++) {
        if (*text == '"' || *text == '\\') putchar('\\');
        putchar(*text);
    }
    putchar('"');
}

/* A member of an object that is a text. */
static void print_member(const char *before, const char *name, const char *value) {
    printf("%s\"%s\":", before, name);
    if (value)
        print_string(value);
    else
        fputs("null", stdout);
}

static void print_json_quantities(const char *name, const Quantity *list) {
    printf(",\"%s\":[", name);
    for (const Quantity *q = list; q && q->name; q++) {
        print_member(q == list ? "{" : ",{", "name", q->name);
        print_member(",", "unit", q->unit);
        print_member(",", "text", q->text);
        putchar('}');
    }
    putchar(']');
}

static void print_json_names(const char *name, const char *const *list) {
    printf(",\"%s\":[", name);
    for (int i = 0; list && list[i]; i++) {
        if (i) putchar(',');
        print_string(list[i]);
    }
    putchar(']');
}

static void print_json(const System *s) {
    print_member("{", "name", s->name);
    print_member(",", "title", s->title);
    print_member(",", "source", s->source);
    printf(",\"stop\":%.12g,\"interval\":%.12g,\"needsInput\":%s,\"parameters\":[", s->stop,
           s->interval, s->reads_table ? "true" : "false");
    for (const Parameter *p = s->parameters; p && p->name; p++) {
        print_member(p == s->parameters ? "{" : ",{", "name", p->name);
        print_member(",", "unit", p->unit);
        printf(",\"value\":%.12g", p->value);
        print_member(",", "text", p->text);
        putchar('}');
    }
    putchar(']');
    print_json_quantities("states", s->states);
    print_json_quantities("outputs", s->outputs);
    fputs(",\"contacts\":[", stdout);
    for (const Contact *c = s->contacts; c->name; c++) {
        print_member(c == s->contacts ? "{" : ",{", "name", c->name);
        print_member(",", "set", c->set);
        print_json_names("inputs", c->inputs);
        print_json_names("outputs", c->outputs);
        putchar('}');
    }
    fputs("]}", stdout);
}

void list_as_json(const System *only) {
    putchar('[');
    bool first = true;
    for (const System *const *s = systems; *s; s++) {
        if (only && *s != only) continue;
        fputs(first ? "\n" : ",\n", stdout);
        first = false;
        print_json(*s);
    }
    puts("\n]");
}
