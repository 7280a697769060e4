/* rig: runs a benchmark system with friction elements from FMUs. See `rig --help`. */
#define _POSIX_C_SOURCE 200809L
#include <errno.h>
#include <math.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

#include "host.h"
#include "listing.h"
#include "memory.h"
#include "results.h"
#include "surfaces.h"

enum { GOOD = 0, RUN_FAILED = 1, WRONG_USE = 2, INTERRUPTED = 130 };

static const char help[] =
    "Runs a benchmark system with friction elements from FMUs, once per FMU.\n"
    "\n"
    "  rig SYSTEM A.fmu [B.fmu ...] [options]     a system with several contacts takes A.fmu for "
    "each of them,\n"
    "                                             or one for each, joined by commas: "
    "A.fmu,B.fmu,C.fmu\n"
    "  rig list [SYSTEM] [--json]                 the systems, or all about one\n"
    "  rig --version                              the version; rig help is this text\n"
    "\n"
    "  --set NAME=VALUE          parameter of every FMU that has it; CONTACT.NAME=VALUE: at one "
    "contact only\n"
    "  --sets NAME|FILE.ssv      parameter set of resources/ by its name, or from a file\n"
    "  --param NAME=VALUE        parameter of the system\n"
    "  --input FILE.csv          motion for a system that reads one\n"
    "  -o FILE.csv               results of all models, one line per model and time; - is the "
    "standard output\n"
    "  --stop T                  end of the simulation in s\n"
    "  --output-interval DT      time between two rows of results in s; 0: a row for every step of "
    "the solver\n"
    "  --tolerance R             relative tolerance of the solver, 1e-8 if not given\n"
    "  --stats                   steps, evaluations, events and time taken, per model\n"
    "  --warnings                what the FMUs warn of, on the standard error\n"
    "\n"
    "Exit code: 0 good, 1 a simulation failed, 2 something is wrong with the command or its "
    "files.\n";

typedef struct {
    const System *system;
    double *parameters;
    Table table;
    int n_models;
    char **models; /* as given: files joined by commas */
    Settings set, sets, param;
    const ParameterSet *named; /* set of resources/, or NULL */
    const char *set_file, *input, *output;
    double stop, interval, tolerance; /* a stop or interval below 0: not given */
    bool statistics, warnings;
} Command;

/* One line of the comparison. */
typedef struct {
    char *label;
    const Fmu **fmus; /* one per contact */
    Coupling *coupling;
    Statistics statistics;
    double *last_row;
    bool good;
} Model;

typedef struct {
    int count;
    Fmu **items;
    bool warn; /* their warnings are asked for */
} Fmus;

typedef struct {
    Results *results; /* NULL: nothing is written */
    Model *model;
    int n_columns;
    bool shows_progress;
    double shown;
} Watch;

static volatile int interrupted;

static void on_interrupt(int number) {
    (void)number;
    interrupted = 1;
}

static const System *find_system(const char *name, Message *message) {
    Message names = {""};
    for (const System *const *s = systems; *s; s++) {
        if (strcmp((*s)->name, name) == 0) return *s;
        add_name(&names, (*s)->name);
    }
    fail(message, "there is no system \"%s\"; there are %s.", name, names.text);
    return NULL;
}

static bool read_number(const char *option, const char *text, double above, double *value,
                        Message *message) {
    char *end;
    *value = strtod(text, &end);
    if (end == text || *end || !isfinite(*value))
        return fail(message, "%s %s: this is not a number.", option, text);
    return *value > above || fail(message, "%s %s: this is too small.", option, text);
}

/* Splits NAME=VALUE. */
static bool add_assignment(Settings *settings, const char *option, const char *text,
                           Message *message) {
    const char *sign = strchr(text, '=');
    if (!sign || sign == text || !sign[1])
        return fail(message, "%s %s: this is not of the form name=value.", option, text);
    char *name = copied(text);
    name[sign - text] = '\0';
    settings_add(settings, name, sign + 1);
    free(name);
    return true;
}

static bool read_arguments(Command *command, char **arguments, Message *message) {
    command->stop = command->interval = -1;
    command->tolerance = 1e-8;
    bool has_system = false;
    for (; *arguments; arguments++) {
        const char *word = *arguments;
        if (word[0] != '-') {
            if (!has_system) {
                has_system = true;
                if (!(command->system = find_system(word, message))) return false;
                continue;
            }
            command->models = grown_array(command->models, (size_t)command->n_models + 1,
                                          sizeof *command->models);
            command->models[command->n_models++] = *arguments;
            continue;
        }
        if (strcmp(word, "--stats") == 0) {
            command->statistics = true;
            continue;
        }
        if (strcmp(word, "--warnings") == 0) {
            command->warnings = true;
            continue;
        }
        const char *value = arguments[1];
        const bool knows = strcmp(word, "--set") == 0 || strcmp(word, "--param") == 0 ||
                           strcmp(word, "--sets") == 0 || strcmp(word, "--input") == 0 ||
                           strcmp(word, "-o") == 0 || strcmp(word, "--stop") == 0 ||
                           strcmp(word, "--output-interval") == 0 ||
                           strcmp(word, "--tolerance") == 0;
        if (!knows) return fail(message, "there is no option %s; rig --help lists them all.", word);
        if (!value) return fail(message, "%s: its value is missing.", word);
        arguments++;
        bool good = true;
        if (strcmp(word, "--set") == 0) good = add_assignment(&command->set, word, value, message);
        if (strcmp(word, "--param") == 0)
            good = add_assignment(&command->param, word, value, message);
        if (strcmp(word, "--sets") == 0) command->set_file = value;
        if (strcmp(word, "--input") == 0) command->input = value;
        if (strcmp(word, "-o") == 0) command->output = value;
        if (strcmp(word, "--stop") == 0)
            good = read_number(word, value, 0, &command->stop, message);
        if (strcmp(word, "--output-interval") == 0)
            good = read_number(word, value, -1e-300, &command->interval, message);
        if (strcmp(word, "--tolerance") == 0)
            good = read_number(word, value, 1e-14, &command->tolerance, message);
        if (!good) return false;
    }
    if (!command->system)
        return fail(message, "a system and an FMU are missing; rig --help says more.");
    if (command->n_models == 0) return fail(message, "an FMU is missing; rig --help says more.");
    return command->tolerance <= 0.1 ||
           fail(message, "--tolerance %g: this is too large.", command->tolerance);
}

static bool set_parameters(Command *command, Message *message) {
    const System *system = command->system;
    const int n = count_parameters(system);
    command->parameters = new_array((size_t)n, sizeof *command->parameters);
    for (int i = 0; i < n; i++) command->parameters[i] = system->parameters[i].value;
    for (int k = 0; k < command->param.count; k++) {
        const Setting *setting = &command->param.items[k];
        char *end;
        const double value = strtod(setting->value, &end);
        if (end == setting->value || *end || !isfinite(value))
            return fail(message, "--param %s=%s: this is not a number.", setting->name,
                        setting->value);
        Message why = {""};
        if (!set_parameter(system, command->parameters, setting->name, value, &why))
            return fail(message, "--param %s=%s: %s", setting->name, setting->value, why.text);
    }
    return true;
}

static bool read_input(Command *command, Message *message) {
    if (command->system->reads_table && !command->input)
        return fail(message, "the system %s needs --input with the motion.", command->system->name);
    if (!command->system->reads_table && command->input)
        return fail(message, "the system %s reads no motion; --input does not belong here.",
                    command->system->name);
    return !command->input || table_read(&command->table, command->input, message);
}

static bool read_sets(Command *command, Message *message) {
    if (!command->set_file) return true;
    const char *dot = strrchr(command->set_file, '.');
    if (!dot || strcmp(dot, ".ssv") != 0) {
        command->named = find_set(command->set_file);
        if (command->named) return true;
        Message names = {""};
        for (const ParameterSet *set = parameter_sets; set->name; set++)
            add_name(&names, set->name);
        return fail(
            message,
            "--sets %s: there is no set of this name, and it is no .ssv file; there are %s.",
            command->set_file, names.text);
    }
    FILE *file = fopen(command->set_file, "rb");
    if (!file) return fail(message, "%s: %s.", command->set_file, strerror(errno));
    char *text = NULL;
    size_t size = 0, got;
    do {
        text = grown_array(text, size + 4096, 1);
        got = fread(text + size, 1, 4096, file);
        size += got;
    } while (got > 0);
    fclose(file);
    Message why;
    bool good = settings_read(&command->sets, text, size, &why);
    free(text);
    if (!good) return fail(message, "%s: not a parameter set: %s.", command->set_file, why.text);
    return command->sets.count > 0 ||
           fail(message, "%s: there is no parameter in it.", command->set_file);
}

/* The FMU of a file; each file is opened once, however often it is named. */
static const Fmu *get_fmu(Fmus *fmus, const char *path, Message *message) {
    for (int i = 0; i < fmus->count; i++)
        if (strcmp(fmus->items[i]->path, path) == 0) return fmus->items[i];
    Fmu *fmu = new_array(1, sizeof *fmu);
    if (!fmu_open(fmu, path, message)) {
        free(fmu);
        return NULL;
    }
    fmu->warns = fmus->warn;
    fmus->items = grown_array(fmus->items, (size_t)fmus->count + 1, sizeof *fmus->items);
    return fmus->items[fmus->count++] = fmu;
}

/* The FMU that a contact takes of the folder of the given one, by the pattern of the system. */
static const Fmu *get_beside(Fmus *fmus, const Fmu *given, const char *pattern,
                             const System *system, Message *message) {
    const char *slash = strrchr(given->path, '/');
    const size_t folder_size = slash ? (size_t)(slash - given->path) + 1 : 0;
    char *file = joined(*pattern == '%' ? given->name : "", pattern + (*pattern == '%'), ".fmu");
    char *folder = copied(given->path);
    folder[folder_size] = '\0';
    char *path = joined(folder, file, "");
    const Fmu *fmu = NULL;
    if (access(path, R_OK) == 0)
        fmu = get_fmu(fmus, path, message);
    else
        fail(message, "%s does not fit: the system %s needs %s beside it.", given->path,
             system->name, file);
    free(path);
    free(folder);
    free(file);
    return fmu;
}

/* Takes "A.fmu" or "A.fmu,B.fmu,…" apart into one FMU per contact, and names the model after
 * them. */
static bool find_fmus(Model *model, const char *text, const System *system, Fmus *fmus,
                      Message *message) {
    const int n_contacts = count_contacts(system);
    model->fmus = new_array((size_t)n_contacts, sizeof *model->fmus);
    char *list = copied(text);
    int n = 0;
    bool good = true;
    for (char *remainder = list; remainder && good; n++) {
        char *comma = strchr(remainder, ',');
        if (comma) *comma = '\0';
        const Fmu *fmu = get_fmu(fmus, remainder, message);
        remainder = comma ? comma + 1 : NULL;
        good = fmu &&
               (n < n_contacts || fail(message, "%s: the system %s has %d contact%s.", text,
                                       system->name, n_contacts, n_contacts == 1 ? " only" : "s"));
        if (!good) break;
        model->fmus[n] = fmu;
        char *label = n ? joined(model->label, "+", fmu->name) : copied(fmu->name);
        free(model->label);
        model->label = label;
    }
    free(list);
    if (!good) return false;
    if (n > 1 && n != n_contacts)
        return fail(message, "%s: the system %s has %d contacts, but these are %d FMUs.", text,
                    system->name, n_contacts, n);
    const Fmu *given = model->fmus[0];
    for (int c = 0; c < n_contacts && n == 1; c++) {
        model->fmus[c] =
            system->beside ? get_beside(fmus, given, system->beside[c], system, message) : given;
        if (!model->fmus[c]) return false;
    }
    return true;
}

/* Which settings any of the models has known. */
typedef struct {
    bool *sets, *set;
} Known;

static bool give_all(Model *model, const Command *command, Known known, Message *message) {
    for (int i = 0; i < command->sets.count; i++)
        if (!give_setting(model->coupling, &command->sets.items[i], &known.sets[i], message))
            return false;
    for (int i = 0; i < command->set.count; i++)
        if (!give_setting(model->coupling, &command->set.items[i], &known.set[i], message))
            return false;
    return true;
}

/* A name that no FMU knows is misspelt. */
static bool check_known(const Settings *settings, const bool *known, const char *where,
                        const Fmu *example, Message *message) {
    for (int k = 0; k < settings->count; k++) {
        if (known[k]) continue;
        Message names = {""};
        const Description *d = &example->description;
        for (int i = 0; i < d->n_variables; i++)
            if (d->variables[i].causality == PARAMETER) add_name(&names, d->variables[i].name);
        return fail(message, "%s %s=%s: no FMU has this parameter; %s has %s.", where,
                    settings->items[k].name, settings->items[k].value, example->name, names.text);
    }
    return true;
}

/* A model that is one of several and does not fit is named and left out. */
static bool leave_out(Model *model, const Command *command, Message *message) {
    if (command->n_models == 1 || model->coupling) return false;
    fprintf(stderr, "rig: left out: %s\n", message->text);
    *message->text = '\0';
    return true;
}

static void number_label(Model *models, int i) {
    for (int k = 0; k < i; k++) {
        if (strcmp(models[k].label, models[i].label) != 0) continue;
        char number[16];
        snprintf(number, sizeof number, "%d", i + 1);
        char *label = joined(models[i].label, "#", number);
        free(models[i].label);
        models[i].label = label;
    }
}

static void close_model(Model *model) {
    coupling_close(model->coupling);
    free(model->label);
    free(model->fmus);
    free(model->last_row);
    memset(model, 0, sizeof *model);
}

/* Loads, connects and initializes all models that fit the system, so that whatever is wrong is
 * found before anything runs. */
static bool prepare(Model *models, Command *command, const Experiment *experiment, Fmus *fmus,
                    Message *message) {
    fmus->warn = command->warnings;
    const Known known = {new_array((size_t)command->sets.count, sizeof *known.sets),
                         new_array((size_t)command->set.count, sizeof *known.set)};
    bool good = true;
    int n = 0;
    for (int i = 0; i < command->n_models && good; i++) {
        Model *model = &models[n];
        good = find_fmus(model, command->models[i], command->system, fmus, message);
        if (!good) break;
        model->coupling = coupling_open(command->system, command->parameters, &command->table,
                                        model->fmus, message);
        if (!model->coupling && leave_out(model, command, message)) {
            close_model(model);
            continue;
        }
        good = model->coupling && set_surfaces(model->coupling, command->named, message) &&
               give_all(model, command, known, message);
        if (good) number_label(models, n);
        n++;
    }
    command->n_models = n;
    if (good && n == 0)
        good = fail(message, "none of the FMUs fits the system %s.", command->system->name);
    good = good &&
           check_known(&command->sets, known.sets, command->set_file, models[0].fmus[0], message) &&
           check_known(&command->set, known.set, "--set", models[0].fmus[0], message);
    for (int i = 0; i < n && good; i++)
        good = coupling_initialize(models[i].coupling, experiment->stop, experiment->tolerance,
                                   message);
    free(known.sets);
    free(known.set);
    return good;
}

static void on_row(void *context, const double *row) {
    const Watch *watch = context;
    memcpy(watch->model->last_row, row, (size_t)watch->n_columns * sizeof *row);
    if (watch->results) results_write(watch->results, row);
}

static void on_progress(void *context, double fraction) {
    Watch *watch = context;
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    const double seconds = (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
    if (!watch->shows_progress || seconds < watch->shown + 0.2) return;
    if (watch->shown > 0) fprintf(stderr, "\r%s %3.0f %% ", watch->model->label, 100 * fraction);
    watch->shown = seconds;
}

static void clear_progress(const Watch *watch) {
    if (watch->shows_progress) fputs("\r\033[K", stderr);
}

static int run_all(Model *models, const Command *command, const Experiment *plan,
                   Results *results) {
    Watch watch = {.results = results, .shows_progress = isatty(STDERR_FILENO)};
    Experiment experiment = *plan;
    experiment.on_row = on_row;
    experiment.on_progress = on_progress;
    experiment.context = &watch;
    int code = GOOD;
    for (int i = 0; i < command->n_models; i++) {
        Model *model = &models[i];
        const char *const *columns = (const char *const *)model->coupling->columns;
        watch.model = model;
        watch.shown = 0;
        watch.n_columns = model->coupling->n_columns;
        model->last_row = new_array((size_t)watch.n_columns, sizeof *model->last_row);
        if (results) results_begin(results, model->label, columns);
        Message message;
        model->good = host_run(model->coupling, &experiment, &model->statistics, &message);
        clear_progress(&watch);
        if (model->good) continue;
        fprintf(stderr, "rig: %s: %s\n", model->label, message.text);
        if (interrupted) return INTERRUPTED;
        code = RUN_FAILED;
    }
    return code;
}

static void print_summary(const Model *models, const Command *command, double stop) {
    const System *system = command->system;
    const Quantity *const lists[] = {system->states, system->outputs};
    printf("%s after %g s\n%-24s", system->name, stop, "model");
    for (int l = 0; l < 2; l++)
        for (const Quantity *q = lists[l]; q && q->name; q++) {
            char heading[64];
            snprintf(heading, sizeof heading, "%s/%s", q->name, q->unit);
            printf(" %22s", heading);
        }
    putchar('\n');
    for (int i = 0; i < command->n_models; i++) {
        if (!models[i].good) continue;
        printf("%-24s", models[i].label);
        int column = 1;
        for (int l = 0; l < 2; l++)
            for (const Quantity *q = lists[l]; q && q->name; q++)
                printf(" %22.6g", models[i].last_row[column++]);
        putchar('\n');
    }
}

static void print_statistics(const Model *models, int n_models, double stop) {
    printf("%-24s %9s %11s %9s %7s %12s %32s\n", "model", "steps", "evaluations", "jacobians",
           "events", "wall_seconds", "evaluations_per_simulated_second");
    for (int i = 0; i < n_models; i++) {
        const Statistics *s = &models[i].statistics;
        if (models[i].good)
            printf("%-24s %9ld %11ld %9ld %7ld %12.4f %32.1f\n", models[i].label, s->steps,
                   s->evaluations, s->jacobians, s->events, s->wall_seconds,
                   (double)s->evaluations / stop);
    }
}

static int list(char **arguments) {
    const System *system = NULL;
    bool json = false;
    Message message;
    for (; *arguments; arguments++) {
        if (strcmp(*arguments, "--json") == 0)
            json = true;
        else if (!(system = find_system(*arguments, &message))) {
            fprintf(stderr, "rig: %s\n", message.text);
            return WRONG_USE;
        }
    }
    if (json)
        list_as_json(system);
    else if (system)
        describe_system(system);
    else
        list_systems();
    return GOOD;
}

static bool read_command(Command *command, char **arguments, Message *message) {
    return read_arguments(command, arguments, message) && set_parameters(command, message) &&
           read_input(command, message) && read_sets(command, message);
}

static Experiment planned(const Command *command) {
    const System *system = command->system;
    const double end =
        system->reads_table ? command->table.times[command->table.n_rows - 1] : system->stop;
    return (Experiment){.stop = command->stop > 0 ? command->stop : end,
                        .interval = command->interval >= 0 ? command->interval : system->interval,
                        .tolerance = command->tolerance,
                        .interrupted = &interrupted};
}

/* Runs the command up to the point where something is wrong; then the message says what. */
static int execute(Command *command, char **arguments, Model **models, Fmus *fmus,
                   Message *message) {
    if (!read_command(command, arguments, message)) return WRONG_USE;
    const Experiment experiment = planned(command);
    *models = new_array((size_t)command->n_models, sizeof **models);
    if (!prepare(*models, command, &experiment, fmus, message)) return WRONG_USE;
    Results results = {0};
    for (int i = 0; i < command->n_models; i++)
        results_add_columns(&results, (const char *const *)(*models)[i].coupling->columns);
    int code = WRONG_USE;
    if (!command->output || results_open(&results, command->output, message)) {
        code = run_all(*models, command, &experiment, command->output ? &results : NULL);
        if (!command->output && code != INTERRUPTED)
            print_summary(*models, command, experiment.stop);
        if (command->statistics) print_statistics(*models, command->n_models, experiment.stop);
    }
    if (!results_close(&results, message)) code = RUN_FAILED;
    return code;
}

static void clean_up(Command *command, Model *models, Fmus *fmus) {
    for (int i = 0; models && i < command->n_models; i++) close_model(&models[i]);
    free(models);
    for (int i = 0; i < fmus->count; i++) {
        fmu_close(fmus->items[i]);
        free(fmus->items[i]);
    }
    free(fmus->items);
    settings_free(&command->set);
    settings_free(&command->sets);
    settings_free(&command->param);
    table_free(&command->table);
    free(command->models);
    free(command->parameters);
}

void warn(const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    fputs("rig: ", stderr);
    vfprintf(stderr, format, arguments);
    fputc('\n', stderr);
    va_end(arguments);
}

void out_of_memory(void) {
    fputs("rig: out of memory.\n", stderr);
    exit(1);
}

int main(int count, char **arguments) {
    const char *word = count < 2 ? "help" : arguments[1];
    if (strcmp(word, "--version") == 0) {
        printf("rig %s\n", version);
        return GOOD;
    }
    if (strcmp(word, "help") == 0 || strcmp(word, "--help") == 0 || strcmp(word, "-h") == 0) {
        fputs(help, count < 2 ? stderr : stdout);
        return count < 2 ? WRONG_USE : GOOD;
    }
    if (strcmp(word, "list") == 0) return list(arguments + 2);
    sigaction(SIGINT, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
    sigaction(SIGTERM, &(struct sigaction){.sa_handler = on_interrupt}, NULL);
    Command command = {0};
    Model *models = NULL;
    Fmus fmus = {0};
    Message message = {""};
    const int code = execute(&command, arguments + 1, &models, &fmus, &message);
    clean_up(&command, models, &fmus);
    if (*message.text) fprintf(stderr, "rig: %s\n", message.text);
    return code;
}
