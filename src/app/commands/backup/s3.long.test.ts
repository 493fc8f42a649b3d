import { expect, test } from 'vitest'
import {
  connectTo,
  emptyInstallation,
  emptyTables,
  installationOf,
  makeBackup,
  restoreBackup,
  type Settings,
  verifyBackup,
} from '../../../../test/harness/backups.ts'
import { sendEmail, startAcme } from '../../../../test/harness/emails.ts'
import { type S3Server, startS3Server } from '../../../../test/harness/s3-server.ts'

function settingsFor({ options }: S3Server, secret = options.secretAccessKey): Settings {
  const { host } = new URL(options.endpoint)
  const login = `${options.accessKeyId}:${encodeURIComponent(secret)}`
  return { POSTWREN_BACKUP_URL: `http://${login}@${host}/${options.bucket}/nightly/mail?region=${options.region}` }
}

async function startWorld() {
  await emptyTables()
  const { app, acme } = await startAcme()
  await sendEmail(acme, { attachments: [{ filename: 'a.txt', content: 'aGVsbG8=' }] })
  await app.flush()
  const server = await startS3Server()
  return { server, source: { ...(await installationOf(app)), ...settingsFor(server) } }
}

test('backups go to a bucket below a prefix, and come back from there', async () => {
  const { server, source } = await startWorld()
  const target = { ...(await emptyInstallation()), ...settingsFor(server) }

  const first = await makeBackup(source)
  server.fault(503, 'drop')
  const second = await makeBackup(source)
  const verified = await verifyBackup(source)
  const restored = await restoreBackup(target)

  expect([...server.objects.keys()].every((key) => key.startsWith('nightly/mail/'))).toBe(true)
  expect(second.blobs).toMatchObject({ count: 1, known: 1 })
  expect(second.location).toBe(`${server.options.endpoint}/postwren/nightly/mail`)
  expect(verified).toMatchObject({ name: second.name, is_same: true })
  expect(restored.name).toBe(second.name)
  expect(first.name < second.name).toBe(true)
  const client = await connectTo(target.POSTWREN_DATABASE_URL!)
  expect((await client.query('select from emails')).rowCount).toBe(1)
})

test('a backup that was cut off is removed from the bucket by the next one', async () => {
  const { server, source } = await startWorld()
  const { name } = await makeBackup(source)
  server.objects.delete(`nightly/mail/${name}/manifest.json`)

  await makeBackup(source)

  expect([...server.objects.keys()].filter((key) => key.startsWith(`nightly/mail/${name}`))).toEqual([])
})

test('a bucket that refuses is one line without the secret', async () => {
  const { server, source } = await startWorld()

  const failing = makeBackup({ ...source, ...settingsFor(server, 'wrong') })

  await expect(failing).rejects.toThrow(
    /^http:\/\/127\.0\.0\.1:\d+\/postwren\/nightly\/mail cannot be used: .* answered 403/,
  )
  await expect(failing).rejects.not.toThrow(/wrong/)
})
