import type { Queryable, Transaction } from '../../../kernel/db/database.ts'
import { sql } from '../../../kernel/db/sql.ts'

/** Announced when a certificate was renewed. */
export const CERTIFICATES_CHANNEL = 'certificates'

export interface StoredCertificate {
  readonly name: string
  readonly certificate: string
  /** Sealed. */
  readonly sealedKey: Buffer
}

/** One that is valid now. */
export async function findCertificate(db: Queryable, name: string): Promise<StoredCertificate | null> {
  const [row] = await db.query<StoredCertificate>(sql`
    select name, certificate, private_key as "sealedKey" from certificates
    where name = ${name} and expires_at > ${db.clock.now()}`)
  return row ?? null
}

/** Notes names that a certificate is wanted for, and forgets others whose time is over. */
export async function noteNames(db: Queryable, names: readonly string[]): Promise<void> {
  const now = db.clock.now()
  await db.query(sql.write`
    insert into certificates (name, failures, next_try_at)
    select name, 0, ${now} from unnest(${[...names]}::text[]) as wanted (name)
    on conflict (name) do nothing`)
  await db.query(sql.write`
    delete from certificates
    where name <> all(${[...names]}::text[]) and (expires_at is null or expires_at < ${now})`)
  await db.query(sql.write`
    delete from acme_challenges where created_at < ${now}::timestamptz - make_interval(secs => ${CHALLENGE_SECONDS})`)
}

/** What was asked for longer ago is over. */
const CHALLENGE_SECONDS = 3_600

/** Of these, those that need a certificate now; the longest due first. */
export async function findDueNames(db: Queryable, names: readonly string[], limit: number): Promise<string[]> {
  const now = db.clock.now()
  const rows = await db.query<{ name: string }>(sql`
    select name from certificates
    where name = any(${[...names]}::text[]) and next_try_at <= ${now} and coalesce(renew_at <= ${now}, true)
    order by next_try_at, name limit ${limit}`)
  return rows.map(({ name }) => name)
}

export async function keepCertificate(
  trx: Transaction,
  {
    name,
    certificate,
    sealedKey,
    expiresAt,
    renewAt,
  }: StoredCertificate & { readonly expiresAt: Date; readonly renewAt: Date },
): Promise<void> {
  trx.announce(CERTIFICATES_CHANNEL)
  await trx.query(sql.write`
    update certificates set certificate = ${certificate}, private_key = ${sealedKey}, expires_at = ${expiresAt},
      renew_at = ${renewAt}, failures = 0, next_try_at = ${renewAt}, problem = null
    where name = ${name}`)
  await trx.query(sql.write`delete from acme_challenges where name = ${name}`)
}

/** Tried again after the first, second, … of these; from then on after the last. Authorities count what fails, too. */
export async function noteFailure(
  db: Queryable,
  { name, problem, afterSeconds }: { name: string; problem: string; afterSeconds: readonly number[] },
): Promise<void> {
  await db.query(sql.write`
    update certificates set problem = ${problem}, failures = least(failures + 1, ${afterSeconds.length}),
      next_try_at = ${db.clock.now()}::timestamptz
        + make_interval(secs => (${[...afterSeconds]}::int[])[least(failures + 1, ${afterSeconds.length})])
    where name = ${name}`)
}

export interface Account {
  /** Sealed. */
  readonly sealedKey: Buffer
  readonly url: string | null
}

export async function findAccount(db: Queryable, directory: string): Promise<Account | null> {
  const [row] = await db.query<Account>(sql`
    select private_key as "sealedKey", url from acme_accounts where directory = ${directory}`)
  return row ?? null
}

/** Of two that make one at once, both go on with the first. */
export async function insertAccount(db: Queryable, directory: string, sealedKey: Buffer): Promise<void> {
  await db.query(sql.write`
    insert into acme_accounts (directory, private_key, created_at) values (${directory}, ${sealedKey}, ${db.clock.now()})
    on conflict (directory) do nothing`)
}

export const noteAccountUrl = (db: Queryable, directory: string, url: string) =>
  db.query(sql.write`update acme_accounts set url = ${url} where directory = ${directory}`)

/** Of each name there is one: what was asked for before is over. */
export const keepChallenge = (
  db: Queryable,
  { token, name, answer }: { readonly token: string; readonly name: string; readonly answer: string },
) =>
  db.query(sql.write`
    with old as (delete from acme_challenges where name = ${name} and token <> ${token})
    insert into acme_challenges (token, name, answer, created_at) values (${token}, ${name}, ${answer}, ${db.clock.now()})
    on conflict (token) do update set name = excluded.name, answer = excluded.answer, created_at = excluded.created_at`)

export async function findAnswer(db: Queryable, token: string): Promise<string | null> {
  const [row] = await db.query<{ answer: string }>(sql`select answer from acme_challenges where token = ${token}`)
  return row?.answer ?? null
}

export async function findAnswerFor(db: Queryable, name: string): Promise<string | null> {
  const [row] = await db.query<{ answer: string }>(sql`
    select answer from acme_challenges where name = ${name} limit 1`)
  return row?.answer ?? null
}

export interface CertificateState {
  /** How many names have a certificate, and of how many the last order failed. */
  readonly valid: number
  readonly failing: number
  /** When the first of those that are valid expires. */
  readonly expiresAt: Date | null
}

export async function readCertificateState(db: Queryable): Promise<CertificateState> {
  const [state] = await db.query<CertificateState>(sql`
    select (count(*) filter (where expires_at > ${db.clock.now()}))::int as valid,
      (count(*) filter (where failures > 0))::int as failing,
      min(expires_at) filter (where expires_at > ${db.clock.now()}) as "expiresAt" from certificates`)
  return state!
}

/** Some of those whose last order failed, and what the authority said. */
export const listFailing = (db: Queryable, limit: number) =>
  db.query<{ name: string; problem: string }>(sql`
    select name, problem from certificates where failures > 0 order by failures desc, name limit ${limit}`)
