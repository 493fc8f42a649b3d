import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { postwren } from '../harness/program.ts'
import { Service } from '../harness/service.ts'

async function command(service: Service, ...words: string[]) {
  const { code, stdout } = await postwren(words, { environment: { POSTWREN_DATA_DIR: service.dataDir } })
  expect(code).toBe(0)
  return stdout
}

test('the secret key of a data folder changes while the service runs, and nobody notices', async () => {
  const first = await Service.start()
  const { body: webhook } = await first.call('POST', '/webhooks', {
    endpoint: 'https://example.com/hook',
    events: ['email.sent'],
  })
  const [file, nextFile] = ['secret-key', 'secret-key-next'].map((name) => join(first.dataDir, name)) as [
    string,
    string,
  ]
  const before = readFileSync(file, 'utf8')
  expect(await command(first, 'secret-key', 'prepare')).toContain('Restart every process')
  await first.stop()

  const second = await Service.start({ dataDir: first.dataDir })
  expect(await command(second, 'secret-key', 'rotate')).toContain('has taken over')

  expect(readFileSync(file, 'utf8')).not.toBe(before)
  expect(existsSync(nextFile)).toBe(false)
  expect((await second.call('GET', `/webhooks/${webhook.id}`)).body.signing_secret).toBe(webhook.signing_secret)
  await second.stop()
  const third = await Service.start({ dataDir: first.dataDir })
  expect((await third.call('GET', `/webhooks/${webhook.id}`)).body.signing_secret).toBe(webhook.signing_secret)
  await third.stop()
})
