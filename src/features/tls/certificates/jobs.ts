import { X509Certificate } from 'node:crypto'
import { AccountKey } from '../../../adapters/acme/account-key.ts'
import { AcmeClient, AcmeRefusal } from '../../../adapters/acme/acme-client.ts'
import type { HttpOutcome, OutgoingRequest } from '../../../adapters/outgoing-http/outgoing-http.ts'
import { certificateRequest } from '../../../adapters/tls/certificate-request.ts'
import type { Database } from '../../../kernel/db/database.ts'
import { hours, type Job, job, minutes } from '../../../kernel/jobs/job.ts'
import type { Sealer } from '../../../kernel/secrets.ts'
import type { Log } from '../../../platform/observability/log.ts'
import { acmeDirectory } from '../../../platform/settings/acme.ts'
import { type Config, hostName } from '../../../platform/settings/config.ts'
import { listHostedNames } from '../../domains/reads.ts'
import { installationNames } from '../own-names.ts'
import { sealedFor } from './certificates.ts'
import {
  findAccount,
  findDueNames,
  insertAccount,
  keepCertificate,
  keepChallenge,
  noteAccountUrl,
  noteFailure,
  noteNames,
} from './queries.ts'

export interface CertificateServices {
  readonly db: Database
  readonly config: Config
  readonly sealer: Sealer
  readonly log: Log
  /** To the authority that the operator has named, wherever that is. */
  readonly acmeHttp: { send(request: OutgoingRequest): Promise<HttpOutcome> }
}

/** Names of teams, in the order of the alphabet; those of the installation come first. */
const MAX_NAMES = 2_000
/** In one run. */
const MAX_ORDERS = 20
const TRY_AGAIN_SECONDS = [minutes(15), hours(1), hours(4), hours(12), hours(24)]

/**
 * Gets certificates for the names that have none, and renews the others. There is one row of it, so one node at a time orders. Cut off in the middle
 * it orders again, and the authority knows what we have shown it.
 */
export const orderCertificates: Job<object, CertificateServices> = job({
  name: 'certificates.order',
  everySeconds: minutes(1),
  retryAfterSeconds: [],
  concurrency: 1,
  async run(_payload, { signal, ...services }) {
    const { db, config } = services
    const directory = acmeDirectory(config)
    if (directory === null) return
    const names = await wantedNames(services)
    await noteNames(db, names)
    const due = await findDueNames(db, names, MAX_ORDERS)
    if (due.length === 0) return
    const client = await openAccount(services, directory)
    for (const name of due) {
      signal.throwIfAborted()
      if ((await order(services, { client, name, signal })) === 'stop') return
    }
  },
})

/** The name of the mail server is left out where the operator brings its certificate. */
async function wantedNames({ db, config }: CertificateServices): Promise<string[]> {
  const own = installationNames(config).filter((name) => config.TLS_CERT === undefined || name !== hostName(config))
  const hosted = await listHostedNames(db, { after: '', limit: MAX_NAMES })
  return [...new Set([...own, ...hosted])]
}

async function openAccount({ db, config, sealer, acmeHttp }: CertificateServices, directoryUrl: string) {
  const context = `acme:${directoryUrl}`
  if (!(await findAccount(db, directoryUrl)))
    await insertAccount(db, directoryUrl, sealer.seal(AccountKey.make(), context))
  const account = (await findAccount(db, directoryUrl))!
  const client = new AcmeClient({
    directoryUrl,
    http: acmeHttp,
    key: new AccountKey(sealer.open(account.sealedKey, context)),
    accountUrl: account.url,
    contact: config.ACME_CONTACT,
  })
  return { client, isKnown: account.url !== null, directoryUrl }
}

async function order(
  services: CertificateServices,
  {
    client: account,
    name,
    signal,
  }: { client: Awaited<ReturnType<typeof openAccount>>; name: string; signal: AbortSignal },
): Promise<'go on' | 'stop'> {
  const { db, config, sealer, log } = services
  const { key, request } = certificateRequest([name])
  try {
    if (!account.isKnown) {
      await noteAccountUrl(db, account.directoryUrl, await account.client.register())
      account.isKnown = true
    }
    const certificate = await account.client.issue({
      ...{ names: [name], request, signal },
      kind: config.HTTPS_PORT === undefined ? 'http-01' : 'tls-alpn-01',
      prepare: async (challenge) => void (await keepChallenge(db, challenge)),
    })
    const life = lifeOf(certificate)
    await db.transaction((trx) =>
      keepCertificate(trx, { name, certificate, sealedKey: sealer.seal(key, sealedFor(name)), ...life }),
    )
    log.info({ name, until: life.expiresAt }, 'tls: certificate issued')
    return 'go on'
  } catch (error) {
    if (!(error instanceof AcmeRefusal)) throw error
    await noteFailure(db, { name, problem: error.message, afterSeconds: TRY_AGAIN_SECONDS })
    log.warn({ name, reason: error.message }, 'tls: ordering a certificate failed')
    return error.isGeneral ? 'stop' : 'go on'
  }
}

/** Renewed when two thirds of it are over: authorities make them shorter and shorter, and there is time to try again. */
function lifeOf(certificate: string): { expiresAt: Date; renewAt: Date } {
  try {
    const { validFrom, validTo } = new X509Certificate(certificate)
    const [from, until] = [Date.parse(validFrom), Date.parse(validTo)]
    return { expiresAt: new Date(until), renewAt: new Date(from + ((until - from) * 2) / 3) }
  } catch {
    throw new AcmeRefusal('The authority answered with something that is no certificate.')
  }
}
