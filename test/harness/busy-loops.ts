import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { onTestFinished } from 'vitest'

/** Far more than the machine has cores: whoever wants one waits for its turn, as on a host that was sold too often. */
const LOOPS_PER_CORE = 16

/** Takes the machine's processors from everybody else, until it is stopped or the test ends. */
export function starveMachine(): () => Promise<void> {
  const loops = Array.from({ length: LOOPS_PER_CORE * availableParallelism() }, () => {
    const loop = spawn('sh', ['-c', 'while :; do :; done'], { stdio: 'ignore' })
    return { loop, ended: once(loop, 'exit') }
  })
  const stop = async () => {
    for (const { loop } of loops) loop.kill('SIGKILL')
    await Promise.all(loops.map(({ ended }) => ended))
  }
  onTestFinished(stop)
  return stop
}
