import { createPrivateKey, generateKeyPairSync, X509Certificate } from 'node:crypto'
import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { isIP } from 'node:net'
import { join } from 'node:path'
import { createSecureContext } from 'node:tls'
import type { Clock } from '../../platform/clock.ts'
import { writeDurablySync } from '../../platform/durable-file.ts'
import type { Log } from '../../platform/observability/log.ts'
import type { Config } from '../../platform/settings/config.ts'
import { PRIVATE_FOLDER } from '../../platform/settings/data-folder.ts'
import { SettingError } from '../../platform/settings/settings.ts'
import { selfSigned } from './self-signed.ts'

/** Both as PEM. The certificate may have those of its authorities behind it. */
export interface Certificate {
  readonly key: string
  readonly cert: string
}

const DAY = 86_400_000
const LIFE_DAYS = 3_650
const RENEWAL_DAYS = 30
const CHECK_EVERY_MS = 60_000

/**
 * The certificate that SMTP clients see, to be asked for before each handshake. The one of the settings, read again after it has
 * been renewed; or one that we made ourselves and keep, so that mail is encrypted from the first start: nobody can know from it
 * who we are, but nobody on the way can read along without taking the trouble to stand in between.
 */
export function openCertificate(
  { TLS_CERT, TLS_KEY, DATA_DIR }: Pick<Config, 'TLS_CERT' | 'TLS_KEY' | 'DATA_DIR'>,
  host: string,
  log: Log,
  clock: Clock,
): () => Certificate {
  if (TLS_CERT && TLS_KEY) return followFiles(TLS_CERT, TLS_KEY, log, clock)
  const own = ownCertificate(DATA_DIR, host, clock.now())
  return () => own
}

/** Throws a SettingError when the settings name files that are no certificate and its key. Makes and changes nothing. */
export function requireCertificateFiles({
  TLS_CERT,
  TLS_KEY,
}: Pick<Config, 'TLS_CERT' | 'TLS_KEY'>): Certificate | null {
  return TLS_CERT && TLS_KEY ? readPair(TLS_CERT, TLS_KEY) : null
}

/** Gives the same object for as long as the files are the same. */
function followFiles(certFile: string, keyFile: string, log: Log, clock: Clock): () => Certificate {
  let state = stateOf(certFile, keyFile)
  let current = readPair(certFile, keyFile)
  let lookedAt = clock.now().getTime()
  return () => {
    const now = clock.now().getTime()
    if (now - lookedAt < CHECK_EVERY_MS) return current
    lookedAt = now
    const seen = stateOf(certFile, keyFile)
    if (seen === state) return current
    try {
      current = readPair(certFile, keyFile)
      state = seen
      log.info({ file: certFile }, 'tls: certificate reloaded')
    } catch (error) {
      // One of the two may be written and the other not yet: in a minute we look again.
      log.warn({ error }, 'tls: reloading the certificate failed; the old one stays in use')
    }
    return current
  }
}

/** Something that changes when a file does, and that can always be told: what is wrong with a file is said when it is read. */
const stateOf = (...files: string[]) => files.map(stateOfOne).join()

function stateOfOne(file: string): string {
  try {
    const { ino, size, mtimeMs } = statSync(file)
    return `${ino} ${size} ${mtimeMs}`
  } catch (error) {
    return String((error as NodeJS.ErrnoException).code)
  }
}

function readPair(certFile: string, keyFile: string): Certificate {
  const pair = { key: readPem('POSTWREN_TLS_KEY', keyFile), cert: readPem('POSTWREN_TLS_CERT', certFile) }
  try {
    createSecureContext({ ...pair, ca: [] })
  } catch (error) {
    throw new SettingError(
      `POSTWREN_TLS_CERT and POSTWREN_TLS_KEY must name a certificate and its key, as PEM without a password (${(error as Error).message}).`,
    )
  }
  return pair
}

function readPem(setting: string, file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    throw new SettingError(`${setting} names ${file}, which cannot be read (${(error as NodeJS.ErrnoException).code}).`)
  }
}

/** Made once. Made anew when the host got another name, or when it is about to expire. */
function ownCertificate(folder: string, host: string, now: Date): Certificate {
  const file = join(folder, 'smtp-certificate.pem')
  try {
    const stored = findOwn(file, host, now)
    if (stored) return stored
    const made = makeOwn(host, now)
    mkdirSync(folder, { recursive: true, mode: PRIVATE_FOLDER })
    keep(made, { file, isNeeded: () => !findOwn(file, host, now) })
    return findOwn(file, host, now) ?? made
  } catch (error) {
    throw new SettingError(
      `The SMTP certificate cannot be kept in ${file} (${(error as NodeJS.ErrnoException).code ?? (error as Error).message}): make the folder writable, choose another with POSTWREN_DATA_DIR, or set POSTWREN_TLS_CERT and POSTWREN_TLS_KEY.`,
    )
  }
}

/**
 * Written beside its place, and put there whole. Of two processes that start at once, the later one takes the certificate of the
 * earlier: a link does not replace what is there.
 */
function keep({ key, cert }: Certificate, { file, isNeeded }: { file: string; isNeeded: () => boolean }) {
  const draft = `${file}.${process.pid}`
  try {
    writeDurablySync(draft, key + cert)
    linkSync(draft, file)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    if (isNeeded()) renameSync(draft, file)
  } finally {
    rmSync(draft, { force: true })
  }
}

function makeOwn(host: string, now: Date): Certificate {
  // P-256 and not RSA: made in a millisecond, and a handshake costs a tenth.
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'prime256v1' })
  const [from, until] = [new Date(now.getTime() - DAY), new Date(now.getTime() + LIFE_DAYS * DAY)]
  const cert = selfSigned({ host, privateKey, publicKey, from, until })
  return { key: String(privateKey.export({ type: 'pkcs8', format: 'pem' })), cert }
}

/** The kept one, unless it is for another host, about to expire, or not whole. */
function findOwn(file: string, host: string, now: Date): Certificate | null {
  const text = readIfThere(file)
  const [key] = /-----BEGIN PRIVATE KEY-----[^-]+-----END PRIVATE KEY-----\n/.exec(text) ?? []
  const [cert] = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----\n/.exec(text) ?? []
  if (!key || !cert) return null
  try {
    const read = new X509Certificate(cert)
    const isForHost = isIP(host) === 0 ? read.checkHost(host) : read.checkIP(host)
    const isFresh = Date.parse(read.validTo) - now.getTime() > RENEWAL_DAYS * DAY
    return isForHost && isFresh && read.checkPrivateKey(createPrivateKey(key)) ? { key, cert } : null
  } catch {
    return null
  }
}

function readIfThere(file: string): string {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return ''
    throw error
  }
}
