// Devices that wait for the next call, the one used last first. Several calls at once have one each.
#define _POSIX_C_SOURCE 200809L
#include "session.h"

#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "device_internal.h"

#define IDLE_MOST 8u // builds of as many kinds of studies; more are closed, those that have waited longest first

// What a device was opened for.
struct DeviceKey {
    DeviceOptions options; // its texts are owned
    Content content;
};

struct ClackSession {
    pthread_mutex_t lock;
    pid_t process; // a fork has neither the threads of its devices nor their drivers' state
    uint32_t idle_count;
    Device *idle[IDLE_MOST];
};

ClackStatus clack_session_open(ClackSession **out_session, ClackReport *report) {
    ClackSession *session = calloc(1, sizeof *session);
    if (session == NULL) return report_add(report, CLACK_MEMORY, "no memory for a session");
    pthread_mutex_init(&session->lock, NULL);
    session->process = getpid();
    *out_session = session;
    return CLACK_OK;
}

static void session_drop(Device *device) {
    device->session = NULL;
    device_close(device);
}

static Device *session_remove(ClackSession *session, uint32_t at) {
    Device *device = session->idle[at];
    session->idle_count--;
    memmove(&session->idle[at], &session->idle[at + 1], (session->idle_count - at) * sizeof(Device *));
    return device;
}

void clack_session_release(ClackSession *session) {
    pthread_mutex_lock(&session->lock);
    while (session->idle_count > 0) session_drop(session_remove(session, session->idle_count - 1));
    pthread_mutex_unlock(&session->lock);
}

void clack_session_close(ClackSession *session) {
    if (session == NULL) return;
    clack_session_release(session);
    pthread_mutex_destroy(&session->lock);
    free(session);
}

static int text_is_same(const char *a, const char *b) { return a == NULL || b == NULL ? a == b : strcmp(a, b) == 0; }

// How many scenes there are decides how a GPU's work-items share them.
static int session_fits(const Device *device, const DeviceOptions *options, const Content *content) {
    const DeviceOptions *its = &device->key->options;
    const Content *has = &device->key->content;
    if (its->threads != options->threads || its->lanes != options->lanes || its->queue_items != options->queue_items ||
        its->allow_inexact != options->allow_inexact || !its->dump_build_log != !options->dump_build_log ||
        !text_is_same(its->choice, options->choice) || !text_is_same(its->build_options, options->build_options))
        return 0;
    if (device_is_native(device)) return 1;
    return has->programs == content->programs && has->kinds == content->kinds && has->flags == content->flags &&
           has->holds == content->holds && has->bodies == content->bodies &&
           (has->scenes == content->scenes || !device->info.is_gpu);
}

static void session_begin(Device *device) {
    memset(device->kernel_s, 0, sizeof device->kernel_s);
    device->bytes_most = device->bytes;
    device->ran_out_of_memory = 0;
    if (device->second != NULL) session_begin(device->second);
}

Device *session_take(ClackSession *session, const DeviceOptions *options, const Content *content) {
    Device *found = NULL;
    if (session->process != getpid()) return NULL;
    pthread_mutex_lock(&session->lock);
    for (uint32_t i = session->idle_count; i-- > 0 && found == NULL;)
        if (session_fits(session->idle[i], options, content)) found = session_remove(session, i);
    pthread_mutex_unlock(&session->lock);
    if (found != NULL) session_begin(found);
    return found;
}

static char *text_copied(const char *text, int *is_short) {
    char *copy = text != NULL ? strdup(text) : NULL;
    *is_short |= text != NULL && copy == NULL;
    return copy;
}

void session_key_free(DeviceKey *key) {
    if (key == NULL) return;
    free((char *)key->options.choice);
    free((char *)key->options.build_options);
    free(key);
}

void session_adopt(ClackSession *session, const DeviceOptions *options, const Content *content, Device *device) {
    DeviceKey *key = calloc(1, sizeof *key);
    int is_short = 0;
    if (key == NULL || session->process != getpid()) {
        free(key);
        return;
    }
    key->options = *options;
    key->options.choice = text_copied(options->choice, &is_short);
    key->options.build_options = text_copied(options->build_options, &is_short);
    key->content = *content;
    if (is_short) {
        session_key_free(key);
        return;
    }
    device->key = key;
    device->session = session;
}

void session_give_back(Device *device) {
    ClackSession *session = device->session;
    Device *surplus = device->has_failed ? device : NULL;
    pthread_mutex_lock(&session->lock);
    if (surplus == NULL) {
        if (session->idle_count == IDLE_MOST) surplus = session_remove(session, 0);
        session->idle[session->idle_count++] = device;
    }
    pthread_mutex_unlock(&session->lock);
    if (surplus != NULL) session_drop(surplus);
}
