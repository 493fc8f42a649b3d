import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { expect, test, vi } from 'vitest'
import { Service } from '../harness/service.ts'

vi.setConfig({ testTimeout: 120_000 })

// Nobody is asked who the mail is from: the name servers of the machine that runs the tests are its own.
const OFFLINE = { POSTWREN_DNS_SERVERS: '127.0.0.1:1' }

test.runIf(existsSync('/usr/sbin/smtp-source'))('fifty sessions at once lose nothing', async () => {
  const service = await Service.start({ settings: OFFLINE })
  const inbox = async () => (await service.call('GET', '/emails/receiving')).body.data
  const load = ['-s', '50', '-m', '1000', '-l', '2000', '-t', 'desk@inbox.example', '-f', 'a@elsewhere.example']
  const source = spawn('/usr/sbin/smtp-source', [...load, `127.0.0.1:${service.smtpPort}`], { stdio: 'ignore' })

  const [code] = await once(source, 'exit')

  expect(code).toBe(0)
  await service.stored(async () => (await inbox()).length === 1_000, 90_000)
})
