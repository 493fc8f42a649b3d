import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { setTimeout as delay } from 'node:timers/promises'

const SAMPLE_MS = 20

/** What a process has in memory, in MiB. */
export function residentMiB(pid: number): number {
  const status = `/proc/${pid}/status`
  const kibibytes = existsSync(status)
    ? /^VmRSS:\s+(\d+) kB$/m.exec(readFileSync(status, 'utf8'))?.[1]
    : execFileSync('ps', ['-o', 'rss=', '-p', String(pid)]).toString()
  return Number(kibibytes) / 1024
}

/** Does the work and tells what the process had in memory meanwhile at its highest, and by how much it grew to that. */
export async function watchingMemory<Result>(pid: number, work: () => Promise<Result>) {
  const before = residentMiB(pid)
  let peakMiB = before
  const sampling = setInterval(() => {
    peakMiB = Math.max(peakMiB, residentMiB(pid))
  }, SAMPLE_MS)
  try {
    return { result: await work(), peakMiB, growthMiB: peakMiB - before }
  } finally {
    clearInterval(sampling)
  }
}

/** CPU time that a process has used so far. Zero where the system does not tell; it is an explanation and no verdict. */
export function cpuMicroseconds(pid: number): number {
  const [user = 0, system = 0] = statOf(pid).slice(11).map(Number)
  return (user + system) * TICK_MICROSECONDS
}

/** The same of a process with all that it has started, as PostgreSQL starts one for each connection. */
export function familyCpuMicroseconds(pid: number): number {
  return familyPids(pid).reduce((sum, member) => sum + cpuMicroseconds(member), cpuOfEndedMicroseconds(pid))
}

/** CPU time of what a process has started, and what has ended since. */
export function cpuOfEndedMicroseconds(pid: number): number {
  const [, , user = 0, system = 0] = statOf(pid).slice(11).map(Number)
  return (user + system) * TICK_MICROSECONDS
}

/** A process with all that it has started and that runs. */
export function familyPids(pid: number): number[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []
  return [pid, ...pids.filter((child) => statOf(child)[1] === String(pid))]
}

/** A process with all that it has started, and what those have started; itself first. */
export function descendantPids(pid: number): number[] {
  const pids = existsSync('/proc') ? readdirSync('/proc').map(Number).filter(Number.isInteger) : []
  const parents = new Map(pids.map((one) => [one, Number(statOf(one)[1])]))
  const isBelow = (one: number): boolean => one === pid || (parents.has(one) && isBelow(parents.get(one)!))
  return [pid, ...pids.filter((one) => one !== pid && isBelow(one))]
}

/** CPU time of a whole tree of processes, with those of it that have ended. */
export function treeCpuMicroseconds(pid: number): number {
  const ticks = descendantPids(pid).flatMap((member) => statOf(member).slice(11, 15).map(Number))
  return ticks.reduce((sum, value) => sum + value, 0) * TICK_MICROSECONDS
}

/** What these processes have in memory together: pages that several of them share count once. */
export const memoryMiB = (pids: readonly number[]) => pids.reduce((sum, pid) => sum + proportionalMiB(pid), 0)

function proportionalMiB(pid: number): number {
  try {
    return Number(/^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8'))?.[1]) / 1024
  } catch {
    return 0 // It has ended meanwhile.
  }
}

const TICK_MICROSECONDS = 10_000

/** The fields of /proc/PID/stat from the third on; the second is the name, which may hold anything. */
function statOf(pid: number): string[] {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ').at(-1)!.split(' ')
  } catch {
    return []
  }
}

const CALM = 0.9
const CALM_PATIENCE_MS = 5_000

/** Waits until nobody else keeps the machine busy, but not for ever. */
export async function calm() {
  const deadline = performance.now() + CALM_PATIENCE_MS
  while ((await idleShare()) < CALM && performance.now() < deadline);
}

async function idleShare(): Promise<number> {
  const before = cpuTimes()
  await delay(300)
  const after = cpuTimes()
  return (after.idle - before.idle) / (after.all - before.all || 1)
}

function cpuTimes() {
  const times = cpus().map(({ times }) => times)
  const idle = times.reduce((sum, time) => sum + time.idle, 0)
  return { idle, all: times.reduce((sum, { user, nice, sys, idle, irq }) => sum + user + nice + sys + idle + irq, 0) }
}
