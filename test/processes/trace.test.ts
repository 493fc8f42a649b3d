import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { ObservedList } from '../harness/changes.ts'
import { startDnsServer } from '../harness/dns-server.ts'
import { startMailServer } from '../harness/mail-server.ts'
import { POSTWREN } from '../harness/program.ts'
import { relaying } from '../harness/relaying.ts'
import { dataFolder, Service } from '../harness/service.ts'
import { verifiedDomain } from '../harness/verified-domain.ts'

/** `postwren trace` in a process of its own. */
function startTrace(dataDir: string, words: readonly string[]) {
  const [program, ...rest] = POSTWREN
  const child = spawn(program!, [...rest, 'trace', ...words], {
    env: { ...process.env, POSTWREN_DATA_DIR: dataDir },
    stdio: ['ignore', 'pipe', 'pipe'],
  })
  onTestFinished(() => void child.kill('SIGKILL'))
  const [lines, notes] = [new ObservedList<string>(), new ObservedList<string>()]
  createInterface(child.stdout).on('line', (line) => void lines.push(line))
  createInterface(child.stderr).on('line', (line) => void notes.push(line))
  return {
    lines,
    notes,
    async stop() {
      child.kill('SIGINT')
      const [code] = await once(child, 'exit')
      return code
    },
  }
}

test('attempts of two processes are followed, and Ctrl-C ends it', async () => {
  const [dns, relay] = [await startDnsServer(), await startMailServer()]
  const dataDir = dataFolder()
  const settings = { ...relaying(relay, dns), POSTWREN_PROCESSES: '2', POSTWREN_HOSTNAME: 'mx.postwren.test' }
  const service = await Service.start({ dataDir, settings, command: [...POSTWREN, 'serve'] })
  await verifiedDomain(service, dns, 'acme.dev')
  const trace = startTrace(dataDir, ['--json'])
  await trace.notes.reached(2)

  const batch = Array.from({ length: 100 }, (_, index) => ({
    ...{ from: 'a@acme.dev', to: `user${index}@sink.dev`, subject: 'Hi', text: 'Hi' },
  }))
  await service.call('POST', '/emails/batch', batch)
  await trace.lines.reached(100)
  const attempts = trace.lines.map((line) => JSON.parse(line))

  expect(trace.notes).toEqual([
    expect.stringMatching(/^Following node \d+\./),
    expect.stringMatching(/^Following node \d+\./),
  ])
  expect(new Set(attempts.map(({ recipient }) => recipient)).size).toBe(100)
  expect(attempts[0]).toMatchObject({ object: 'attempt', outcome: 'delivered', route: 'relay' })
  expect(attempts[0].dialogue).toContain('MAIL FROM:<')
  expect(await trace.stop()).toBe(0)
})
