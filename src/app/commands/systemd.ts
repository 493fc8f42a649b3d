import { spawn } from 'node:child_process'
import type { Log } from '../../platform/observability/log.ts'

/** The tool waits for systemd to have taken the message. A stop must not wait for a systemd that does not answer. */
const TOOL_MS = 3_000

/** Tells systemd how the start and the stop go (`Type=notify`). */
export interface ServiceManager {
  /** Everything that this process runs is ready. */
  ready(status: string): Promise<void>
  stopping(): Promise<void>
}

const NOBODY: ServiceManager = { ready: async () => {}, stopping: async () => {} }

/**
 * Who has started this process: systemd, if it left its socket in the environment. Node has no such sockets (datagrams in the file
 * system), so systemd's own tool speaks; a unit allows that by `NotifyAccess=all`.
 */
export function serviceManager(environment: NodeJS.ProcessEnv, log: Log): ServiceManager {
  const { NOTIFY_SOCKET, PATH } = environment
  if (!NOTIFY_SOCKET) return NOBODY
  let isWarned = false
  const notify = async (...states: string[]) => {
    const trouble = await runTool(states, { PATH, NOTIFY_SOCKET })
    if (trouble === null || isWarned) return
    isWarned = true
    log.warn(`service: systemd-notify ${trouble}; systemd does not learn whether the service is ready`)
  }
  return {
    ready: (status) => notify('READY=1', `STATUS=${status}`),
    stopping: () => notify('STOPPING=1', 'STATUS=Stopping'),
  }
}

/** Null: it has told systemd. */
function runTool(states: readonly string[], env: NodeJS.ProcessEnv): Promise<string | null> {
  return new Promise((resolve) => {
    const tool = spawn('systemd-notify', states, { env, stdio: 'ignore', timeout: TOOL_MS })
    tool.once('error', (error: NodeJS.ErrnoException) =>
      resolve(error.code === 'ENOENT' ? 'is not installed' : `cannot be started (${error.code})`),
    )
    tool.once('exit', (code, signal) => resolve(code === 0 ? null : `failed (${signal ?? code})`))
  })
}
