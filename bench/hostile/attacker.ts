import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { setPriority } from 'node:os'
import { atEnd } from '../cleanup.ts'
import type { Attack } from './attack.ts'
import { ATTACKS } from './index.ts'

const LOW_PRIORITY = 10

type Target = Parameters<Attack['run']>[0]

/** Begins an attack in a process of its own, so that it does not disturb who measures. Gives back how to end it. */
export async function startAttack(name: string, target: Target): Promise<() => Promise<void>> {
  const child = fork(process.argv[1]!, ['attacker', name], { detached: true })
  const stop = atEnd(() => end(child))
  // Attackers are elsewhere as a rule: here they may have what the service leaves of the processor.
  setPriority(child.pid!, LOW_PRIORITY)
  child.send(target)
  await once(child, 'message')
  return stop
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
