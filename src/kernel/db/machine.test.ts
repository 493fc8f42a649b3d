import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { expect, onTestFinished, test } from 'vitest'
import { processStart, processState, thisMachine, thisProcessStart } from './machine.ts'

test.skipIf(thisMachine === null)(
  'a process is told from one that had its number before, and from one that has ended',
  async () => {
    // Its first child has ended, and `sleep` never asks how.
    const parent = spawn('sh', ['-c', 'true & echo $!; exec sleep 600'], { stdio: ['ignore', 'pipe', 'ignore'] })
    onTestFinished(() => void parent.kill('SIGKILL'))
    const [line] = await once(parent.stdout, 'data')
    const ended = Number(String(line))
    await expect.poll(() => processState(ended, processStart(ended))).toBe('gone')

    expect(processState(process.pid, thisProcessStart)).toBe('running')
    expect(processState(process.pid, '1')).toBe('gone')
    expect(processState(process.pid, null)).toBe('unknown')
    expect(processState(4_194_302, null)).toBe('gone')
  },
)
