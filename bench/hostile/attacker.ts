import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, writeFileSync } from 'node:fs'
import { setPriority } from 'node:os'
import { atEnd } from '../cleanup.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './index.ts'

const LOW_PRIORITY = 19

type Target = Parameters<Attack['run']>[0]

/** Begins an attack in a process of its own, so that it does not disturb who measures. Gives back how to end it. */
export async function startAttack(name: string, target: Target): Promise<() => Promise<void>> {
  const child = fork(process.argv[1]!, ['attacker', name], { detached: true })
  const stop = atEnd(() => end(child))
  yieldProcessor(child.pid!)
  child.send(target)
  await once(child, 'message')
  return stop
}

/** Attackers are elsewhere as a rule: here they may have what the service leaves of the processor. */
function yieldProcessor(pid: number) {
  setPriority(pid, LOW_PRIORITY)
  // Where Linux shares the processor out by session, the priority of a process counts inside of its session only.
  const session = `/proc/${pid}/autogroup`
  if (existsSync(session)) writeFileSync(session, String(LOW_PRIORITY))
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null || child.signalCode !== null) return
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

/** The other side of it. */
export async function attacker(name: string) {
  const attack = ATTACKS.find((one) => one.name === name)!
  const ending = new AbortController()
  process.on('disconnect', () => ending.abort())
  // What is cut off when it ends is not worth a word.
  process.on('unhandledRejection', (error) => void (ending.signal.aborted || console.error(error)))
  const [target] = (await once(process, 'message')) as [Target]
  process.send!('begun')
  await attack.run(target, ending.signal).catch((error) => void (ending.signal.aborted || console.error(error)))
  process.exit(0)
}
