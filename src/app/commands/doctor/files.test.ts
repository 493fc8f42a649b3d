import { generateKeyPairSync } from 'node:crypto'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { startS3Server } from '../../../../test/harness/s3-server.ts'
import { loadConfig } from '../../../platform/settings/config.ts'
import { type Check, fine, runChecks } from './finding.ts'
import { checkNode, checkOpenFiles } from './machine.ts'
import { checkBlobStore, checkDataFolder } from './storage.ts'
import { checkCertificate } from './tls.ts'

async function check(run: Check['run'], settings: Record<string, string>): Promise<string[]> {
  const findings = await run({ config: loadConfig(settings), environment: settings })
  return findings.map(({ status, message }) => `${status}: ${message}`)
}

function folder() {
  const made = mkdtempSync(join(tmpdir(), 'postwren-doctor-'))
  onTestFinished(() => rmSync(made, { recursive: true, force: true }))
  return made
}

const PAIR = {
  POSTWREN_TLS_CERT: 'test/fixtures/tls/certificate.pem',
  POSTWREN_TLS_KEY: 'test/fixtures/tls/key.pem',
  POSTWREN_HOSTNAME: 'mail.test',
}
const at = (year: number) => (input: Parameters<Check['run']>[0]) => checkCertificate(input, Date.UTC(year, 0, 1))

test('a certificate of this host in its time is fine', async () => {
  expect(await check(at(2030), PAIR)).toEqual([
    'ok: TLS for SMTP: the certificate of POSTWREN_TLS_CERT, valid until 2126-10-22.',
  ])
})

test('one that has expired, or is not valid yet, is a fault', async () => {
  expect(await check(at(2127), PAIR)).toEqual([expect.stringMatching(/^fault: .*expired on 2126-10-22/)])
  expect(await check(at(2020), PAIR)).toEqual([expect.stringMatching(/^fault: .*valid from 2026-11-15 on, not yet/)])
})

test('one that expires soon, or is for another host, is worth a warning', async () => {
  const soon = (input: Parameters<Check['run']>[0]) => checkCertificate(input, Date.UTC(2126, 9, 15))

  expect(await check(soon, PAIR)).toEqual([expect.stringMatching(/^warning: .*in 7 days: renew it/)])
  expect(await check(at(2030), { ...PAIR, POSTWREN_HOSTNAME: 'mail.example.com' })).toContainEqual(
    expect.stringMatching(/^warning: .*is not for mail\.example\.com \(DNS:mail\.test/),
  )
})

test('a key that is not that of the certificate is a fault', async () => {
  const key = join(folder(), 'key.pem')
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  writeFileSync(key, privateKey.export({ type: 'pkcs8', format: 'pem' }))
  const settings = { ...PAIR, POSTWREN_TLS_KEY: key }
  const input = { config: loadConfig(settings), environment: settings }

  const { findings } = await runChecks([{ name: 'tls', run: at(2030) }], input, 1_000)

  expect(findings).toEqual([
    {
      name: 'tls',
      status: 'fault',
      message: expect.stringMatching(/^POSTWREN_TLS_CERT and POSTWREN_TLS_KEY must name/),
    },
  ])
})

test('the blob folder is written to and read back, and left as it was', async () => {
  const dataDir = folder()
  const settings = { POSTWREN_DATA_DIR: dataDir }

  expect(await check(checkBlobStore, settings)).toEqual([expect.stringMatching(/^ok: Blob store: .*\(will be made\)/)])
  expect(readdirSync(dataDir)).toEqual([])
  mkdirSync(join(dataDir, 'blobs'))
  expect(await check(checkBlobStore, settings)).toEqual([
    expect.stringMatching(/^ok: Blob store: .*written and read back.*Several machines need POSTWREN_S3_URL/),
  ])
  expect(readdirSync(join(dataDir, 'blobs'))).toEqual([])
})

test('so is a bucket; one that is not there is a fault', async () => {
  const { endpoint, bucket, region, accessKeyId, secretAccessKey } = (await startS3Server()).options
  const login = `${accessKeyId}:${encodeURIComponent(secretAccessKey)}`
  const urlOf = (name: string) => `${endpoint.replace('//', `//${login}@`)}/${name}?region=${region}`

  expect(await check(checkBlobStore, { POSTWREN_S3_URL: urlOf(bucket) })).toEqual([
    expect.stringMatching(/^ok: Blob store: the bucket postwren at 127\.0\.0\.1:\d+, written and read back\.$/),
  ])
  expect(await check(checkBlobStore, { POSTWREN_S3_URL: urlOf('another') })).toEqual([
    expect.stringMatching(/^fault: The blob store cannot be used: .*NoSuchBucket.*POSTWREN_S3_URL/),
  ])
})

test('the data folder is not made, and its disk has room or not', async () => {
  const dataDir = join(folder(), 'data')

  const [data, disk] = await check(checkDataFolder, { POSTWREN_DATA_DIR: dataDir })

  expect(data).toBe(`ok: Data folder: ${dataDir} (will be made).`)
  expect(disk).toMatch(/\d+ [MG]B free/)
})

test.each([
  ['20.18.3', 'fault'],
  ['20.19.0', 'ok'],
  ['18.20.0', 'fault'],
  ['24.1.0', 'ok'],
])('Node %s is: %s', (version, status) => {
  expect(checkNode(version)).toMatchObject([{ status }])
})

test('few open files are worth a warning', () => {
  expect(checkOpenFiles(1_024)).toMatchObject([{ status: 'warning', message: expect.stringContaining('ulimit -n') }])
  expect(checkOpenFiles(Number.POSITIVE_INFINITY)).toMatchObject([{ status: 'ok' }])
  expect(checkOpenFiles()).toHaveLength(1)
})

test('a check that does not end is a fault, and the others are told in their order', async () => {
  const never = new Promise<never>(() => {})
  const checks: Check[] = [
    { name: 'a', run: () => never },
    { name: 'b', run: async () => [fine('b', 'fine')] },
    { name: 'c', run: () => Promise.reject(new Error('broken')) },
  ]

  const { findings, hasEnded } = await runChecks(checks, { config: loadConfig({}), environment: {} }, 1)

  expect(hasEnded).toBe(false)
  expect(findings).toEqual([
    { name: 'a', status: 'fault', message: expect.stringContaining('did not end within') },
    { name: 'b', status: 'ok', message: 'fine' },
    { name: 'c', status: 'fault', message: 'broken' },
  ])
})
