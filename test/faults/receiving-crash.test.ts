import { createTransport } from 'nodemailer'
import { expect, onTestFinished, test, vi } from 'vitest'
import { Changes } from '../harness/changes.ts'
import { seededRandom } from '../harness/random.ts'
import { dataFolder, eventually, Service } from '../harness/service.ts'

vi.setConfig({ testTimeout: 120_000 })

const transportTo = (port: number) => createTransport({ host: '127.0.0.1', port, tls: { rejectUnauthorized: false } })

const inbox = async (service: Service) => (await service.call('GET', '/emails/receiving')).body.data

test('kill -9 while mail comes in: what got its 250 is in the list, once', async () => {
  const random = seededRandom()
  const dataDir = dataFolder({ isDurable: true })
  // Nobody is asked who the mail is from: the name servers of the machine that runs the tests are its own.
  const settings = { POSTWREN_DNS_SERVERS: '127.0.0.1:1', POSTWREN_API_KEY: 're_key_of_the_crash_test' }
  let service = await Service.start({ dataDir, settings })
  const acknowledged = new Set<string>()
  const changes = new Changes()
  let isStopping = false
  const writers = Array.from({ length: 4 }, async (_, writer) => {
    for (let number = 0; !isStopping; number++) {
      const subject = `w${writer}-${number}`
      const mail = { from: 'a@elsewhere.example', to: 'desk@inbox.example', subject, text: 'Hi' }
      await transportTo(service.smtpPort)
        .sendMail(mail)
        .then(
          () => {
            acknowledged.add(subject)
            changes.notify()
          },
          () => {},
        )
    }
  })
  onTestFinished(() => {
    isStopping = true
  })

  for (let round = 0; round < 3; round++) {
    const goal = acknowledged.size + 10 + random.below(20)
    await changes.until(() => acknowledged.size >= goal, 60_000)
    await service.kill()
    service = await Service.start({ dataDir, settings })
  }
  isStopping = true
  await Promise.all(writers)

  const subjects = async () => (await inbox(service)).map(({ subject }: { subject: string }) => subject)
  await eventually(async () => (await subjects()).length >= acknowledged.size, 90_000)
  const listed = await subjects()
  expect([...acknowledged].filter((subject) => !listed.includes(subject))).toEqual([])
  expect(listed).toHaveLength(new Set(listed).size)
})
