import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
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

/** Does the work and tells by how much the process grew meanwhile, at its highest. */
export async function watchingGrowth<Result>(pid: number, work: () => Promise<Result>) {
  const before = residentMiB(pid)
  let peak = before
  const sampling = setInterval(() => {
    peak = Math.max(peak, residentMiB(pid))
  }, SAMPLE_MS)
  try {
    return { result: await work(), growthMiB: peak - before }
  } finally {
    clearInterval(sampling)
  }
}

/** CPU time that a process has used so far. Zero where the system does not tell; it is an explanation and no verdict. */
export function cpuMicroseconds(pid: number): number {
  const stat = `/proc/${pid}/stat`
  if (!existsSync(stat)) return 0
  // The fields after the name, which may hold anything: 14 and 15 of all are user and system time in 1/100 s.
  const fields = readFileSync(stat, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) * 10_000
}

const CALM = 0.9
const CALM_PATIENCE_MS = 10_000

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
