import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import { atEnd } from './cleanup.ts'

/** An application that takes every event and keeps none, in a process of its own. It is the same one for all contenders. */
export interface HookReceiver {
  readonly url: string
  /** The path at which nobody ever answers. */
  readonly deadUrl: string
  readonly pid: number
  /** Resolves with the moment at which so many were answered since the last reset. */
  reached(events: number): Promise<number>
  reset(): void
  stop(): Promise<void>
}

const DEAD = '/dead'

export async function startHookReceiver(): Promise<HookReceiver> {
  const child = fork(process.argv[1]!, ['receiver'], { detached: true })
  const stop = atEnd(() => end(child))
  const [{ port }] = (await once(child, 'message')) as [{ port: number }]
  const url = `http://127.0.0.1:${port}`
  return {
    url,
    deadUrl: `${url}${DEAD}`,
    pid: child.pid!,
    async reached(events) {
      child.send({ kind: 'tell', events })
      await once(child, 'message')
      return performance.now()
    },
    reset: () => child.send({ kind: 'reset' }),
    stop,
  }
}

async function end(child: ChildProcess) {
  if (child.exitCode !== null) return
  const ended = once(child, 'exit')
  child.disconnect()
  await ended
}

/** The other side of it. */
export function receiver() {
  let answered = 0
  let wanted = Number.POSITIVE_INFINITY
  const server = createServer((request, response) => {
    request.resume().on('end', () => {
      if (request.url === DEAD) return
      response.end('ok')
      answered++
      if (answered < wanted) return
      wanted = Number.POSITIVE_INFINITY
      process.send!({ answered })
    })
  }).listen(0, '127.0.0.1', () => process.send!({ port: (server.address() as { port: number }).port }))
  process.on('message', (message: { kind: 'tell'; events: number } | { kind: 'reset' }) => {
    if (message.kind === 'reset') answered = 0
    else if (answered >= message.events) process.send!({ answered })
    else wanted = message.events
  })
  process.on('disconnect', () => process.exit(0))
}
