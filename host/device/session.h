// Devices that stay open between the calls of a session (clack_session_open), with the kernels that were built.
#ifndef CLACK_SESSION_H
#define CLACK_SESSION_H

#include "device.h"

#ifdef __cplusplus
extern "C" {
#endif

/// An open device for these options and content that no other call uses; NULL: there is none. It counts launches and
/// bytes anew.
Device *session_take(ClackSession *session, const DeviceOptions *options, const Content *content);
/// Remember what a device was opened for; from then on device_close leaves it to the session. Without memory it does
/// not.
void session_adopt(ClackSession *session, const DeviceOptions *options, const Content *content, Device *device);
/// device_close of a device that is a session's: kept for the next call, unless it failed.
void session_give_back(Device *device);

#ifdef __cplusplus
}
#endif
#endif
