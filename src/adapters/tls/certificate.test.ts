import { spawn } from 'node:child_process'
import { X509Certificate } from 'node:crypto'
import { mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { text } from 'node:stream/consumers'
import { build } from 'esbuild'
import { expect, onTestFinished, test } from 'vitest'
import { fixedClock } from '../../../test/harness/clock.ts'
import { systemClock } from '../../platform/clock.ts'
import { createLog } from '../../platform/observability/log.ts'
import { loadConfig } from '../../platform/settings/config.ts'
import { SettingError } from '../../platform/settings/settings.ts'
import { openCertificate } from './certificate.ts'

const log = createLog({ level: 'silent', isTerminal: false })
const DAY_SECONDS = 86_400

function makeFolder() {
  const folder = mkdtempSync(join(tmpdir(), 'postwren-certificate-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  return folder
}

/** What a first start in a folder of its own makes: a pair to put into files. */
const makePair = (host: string) =>
  openCertificate(loadConfig({ POSTWREN_DATA_DIR: makeFolder() }), host, log, systemClock)()

test('the first start makes a certificate, and later ones find it', () => {
  const folder = join(makeFolder(), 'data')
  const config = loadConfig({ POSTWREN_DATA_DIR: folder })

  const first = openCertificate(config, 'mail.example.com', log, systemClock)()
  const second = openCertificate(config, 'mail.example.com', log, systemClock)()

  expect(second).toEqual(first)
  expect(new X509Certificate(first.cert).subject).toBe('CN=mail.example.com')
  expect(readdirSync(folder)).toEqual(['smtp-certificate.pem'])
  expect(statSync(join(folder, 'smtp-certificate.pem')).mode & 0o777).toBe(0o600)
})

test('another name, the end of its life or a broken file ask for a new one', () => {
  const folder = makeFolder()
  const config = loadConfig({ POSTWREN_DATA_DIR: folder })
  const clock = fixedClock()
  const open = (host: string) => openCertificate(config, host, log, clock)().cert
  const first = open('a.example.com')

  const renamed = open('b.example.com')
  clock.advance(3_600 * DAY_SECONDS)
  const stillGood = open('b.example.com')
  clock.advance(30 * DAY_SECONDS)
  const renewed = open('b.example.com')
  writeFileSync(join(folder, 'smtp-certificate.pem'), 'half a certif')
  const repaired = open('b.example.com')

  expect(stillGood).toBe(renamed)
  expect(new Set([first, renamed, renewed, repaired]).size).toBe(4)
  expect(readdirSync(folder)).toEqual(['smtp-certificate.pem'])
})

test('of many that start at once all show the same certificate', async () => {
  const folder = makeFolder()
  const { outputFiles } = await build({
    stdin: {
      contents: `import { openCertificate } from './certificate.ts'
        import { systemClock } from '../../platform/clock.ts'
        process.stdout.write(openCertificate({ DATA_DIR: process.argv[1] }, 'mail.example.com', null, systemClock)().cert)`,
      resolveDir: import.meta.dirname,
    },
    ...{ bundle: true, write: false, platform: 'node', format: 'cjs' },
  })
  const start = () => text(spawn(process.execPath, ['-e', outputFiles[0]!.text, folder]).stdout)

  const shown = await Promise.all([start(), start(), start(), start(), start(), start()])

  expect(new Set(shown).size).toBe(1)
  expect(readFileSync(join(folder, 'smtp-certificate.pem'), 'utf8')).toContain(shown[0])
})

test('a folder that cannot be written to is one clear line', () => {
  const file = join(makeFolder(), 'file')
  writeFileSync(file, '')

  const open = () =>
    openCertificate(loadConfig({ POSTWREN_DATA_DIR: join(file, 'data') }), 'mail.example.com', log, systemClock)

  expect(open).toThrow(SettingError)
  expect(open).toThrow(/^The SMTP certificate cannot be kept in .*ENOTDIR.*POSTWREN_DATA_DIR/)
})

/** Certificate and key in files, and the settings that name them. */
function writeFiles() {
  const folder = makeFolder()
  const [certFile, keyFile] = [join(folder, 'cert.pem'), join(folder, 'key.pem')]
  const write = ({ cert, key }: { cert?: string; key?: string }) => {
    if (cert) writeFileSync(certFile, cert)
    if (key) writeFileSync(keyFile, key)
  }
  return { write, certFile, keyFile, config: loadConfig({ POSTWREN_TLS_CERT: certFile, POSTWREN_TLS_KEY: keyFile }) }
}

test('a renewed certificate is found within a minute, and not looked for more often', () => {
  const { write, config } = writeFiles()
  const [first, second] = [makePair('first.test'), makePair('second.test')]
  write(first)
  const clock = fixedClock()
  const certificate = openCertificate(config, 'ignored.test', log, clock)
  const atFirst = certificate()

  write(second)
  clock.advance(59)
  const early = certificate()
  clock.advance(1)
  const renewed = certificate()
  clock.advance(60)

  expect(atFirst).toEqual(first)
  expect(early).toBe(atFirst)
  expect(renewed).toEqual(second)
  expect(certificate()).toBe(renewed)
})

test('while only half of a renewal is there the old one is kept', () => {
  const { write, certFile, config } = writeFiles()
  const [first, second] = [makePair('first.test'), makePair('second.test')]
  write(first)
  const clock = fixedClock()
  const certificate = openCertificate(config, 'ignored.test', log, clock)

  write({ cert: second.cert })
  clock.advance(60)
  expect(certificate()).toEqual(first)
  rmSync(certFile)
  clock.advance(60)
  expect(certificate()).toEqual(first)
  write(second)
  clock.advance(60)

  expect(certificate()).toEqual(second)
})

test('files that are missing or do not belong together are one clear line at the start', () => {
  const { write, config, certFile } = writeFiles()
  const [first, second] = [makePair('first.test'), makePair('second.test')]
  const open = () => openCertificate(config, 'ignored.test', log, systemClock)

  write({ key: first.key })
  expect(open).toThrow(new SettingError(`POSTWREN_TLS_CERT names ${certFile}, which cannot be read (ENOENT).`))
  write({ cert: second.cert })
  expect(open).toThrow(/^POSTWREN_TLS_CERT and POSTWREN_TLS_KEY must name a certificate and its key/)
  write({ cert: 'hello' })
  expect(open).toThrow(SettingError)
})
