import { spawn } from 'node:child_process'
import { closeSync, fstatSync, openSync, readFileSync } from 'node:fs'
import type { Binaries } from './binaries.ts'
import { commandFor, type RunAs } from './run-as.ts'
import { serverArguments } from './settings.ts'

/** All that is needed to start the server of one cluster, again and again. */
export interface Cluster {
  folder: string
  logFile: string
  binaries: Binaries
  runAs: RunAs
  settings: Record<string, string>
}

/** One try to start the server. */
export interface Launch {
  readonly pid: number | undefined
  hasEnded(): boolean
  /** Why it ended, as far as it said. */
  reason(): string
}

const LONGEST_TAIL = 2_000

/**
 * The server outlives us if we are killed, so its output goes to a file and not into a pipe, and it gets a session of its
 * own: Ctrl-C in a terminal would reach it directly otherwise, and stop it before we have finished our work.
 */
export function launchServer(cluster: Cluster, socketFolder: string): Launch {
  const log = openSync(cluster.logFile, 'a', 0o600)
  const logStart = fstatSync(log).size
  const serverArgs = serverArguments(cluster.folder, socketFolder, cluster.settings)
  const { file, args, options } = commandFor(cluster.runAs, cluster.binaries.postgres, serverArgs)
  const child = spawn(file, args, { ...options, detached: true, stdio: ['ignore', log, log] })
  closeSync(log)
  child.unref()

  let hasEnded = false
  let spawnError: Error | undefined
  child.once('exit', () => {
    hasEnded = true
  })
  child.once('error', (error) => {
    hasEnded = true
    spawnError = error
  })
  return {
    pid: child.pid,
    hasEnded: () => hasEnded,
    reason: () => spawnError?.message ?? tailOf(cluster.logFile, logStart),
  }
}

/** The end of the server's log, and nothing from before `start`. Empty if there is no log: it only explains another error. */
export function tailOf(logFile: string, start = 0): string {
  try {
    const log = readFileSync(logFile)
    return log
      .subarray(Math.max(start, log.length - LONGEST_TAIL))
      .toString()
      .trim()
  } catch {
    return ''
  }
}
