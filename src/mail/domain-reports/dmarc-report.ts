import { Parser } from 'htmlparser2'
import { MAX_COUNT, MAX_DEPTH, MAX_ROWS, MAX_SIGNATURES, MAX_VALUE_LENGTH } from './limits.ts'
import { UnreadableReport } from './unpack.ts'

// Aggregate reports of RFC 7489 (appendix C) and of RFC 9990, which has a namespace, `pass` among the dispositions and a few more elements.

export type Disposition = 'none' | 'quarantine' | 'reject'

/** What a receiver saw from one address, for one combination of results. */
export interface DmarcRow {
  /** An IP address, as it was written. */
  readonly source: string
  readonly count: number
  /** What the receiver did. `none`: nothing because of DMARC. */
  readonly disposition: Disposition
  /** Passed, for a domain that is aligned with the author's. */
  readonly isSpfAligned: boolean
  readonly isDkimAligned: boolean
  /** The author's domain. */
  readonly headerFrom: string
  readonly spf: { readonly domain: string; readonly result: string } | null
  /** The signatures, those that pass first. */
  readonly dkim: readonly { readonly domain: string; readonly selector: string; readonly result: string }[]
}

export interface DmarcReport {
  readonly kind: 'dmarc'
  /** Who reports, in their own words. */
  readonly reporter: string
  readonly reportId: string
  readonly from: Date
  readonly to: Date
  /** Whose policy it is about. */
  readonly domain: string
  /** As the reporter has found it. */
  readonly policy: Disposition | null
  readonly rows: readonly DmarcRow[]
  /** Records beyond the bounds were left out. */
  readonly isCut: boolean
}

type Values = Record<string, string>

/** Reads a report, element by element: nothing of the document is kept but the values that are known. Document types are refused, and with them entities. */
export function readDmarcReport(xml: Buffer): DmarcReport {
  const reader = new Reader()
  const text = decode(xml)
  for (let at = 0; at < text.length; at += CHUNK) reader.write(text.slice(at, at + CHUNK))
  return reader.end()
}

const CHUNK = 64 * 1_024

const decode = (xml: Buffer) =>
  xml.length >= 2 && xml.readUInt16BE(0) === 0xfffe ? xml.toString('utf16le') : xml.toString('utf8')

/** Paths below `feedback`, with what their text is for. */
const METADATA: Readonly<Record<string, string>> = {
  'report_metadata/org_name': 'reporter',
  'report_metadata/email': 'email',
  'report_metadata/report_id': 'reportId',
  'report_metadata/date_range/begin': 'from',
  'report_metadata/date_range/end': 'to',
  'policy_published/domain': 'domain',
  'policy_published/p': 'policy',
}

const OF_RECORD: Readonly<Record<string, string>> = {
  'record/row/source_ip': 'source',
  'record/row/count': 'count',
  'record/row/policy_evaluated/disposition': 'disposition',
  'record/row/policy_evaluated/dkim': 'dkim',
  'record/row/policy_evaluated/spf': 'spf',
  'record/identifiers/header_from': 'headerFrom',
  'record/auth_results/spf/domain': 'spfDomain',
  'record/auth_results/spf/result': 'spfResult',
}

const SIGNATURE = 'record/auth_results/dkim'

class Reader {
  readonly #parser: Parser
  readonly #path: string[] = []
  readonly #metadata: Values = {}
  readonly #rows: DmarcRow[] = []
  #isCut = false
  #record: Values = {}
  #signatures: Values[] = []
  #signature: Values = {}
  #text = ''

  constructor() {
    this.#parser = new Parser(
      {
        onprocessinginstruction(name) {
          if (name.startsWith('!')) throw new UnreadableReport('it has a document type')
        },
        onopentagname: (name) => this.#open(name),
        ontext: (text) => {
          if (this.#text.length < MAX_VALUE_LENGTH) this.#text += text
        },
        onclosetag: () => this.#close(),
      },
      { xmlMode: true, decodeEntities: true },
    )
  }

  write(text: string) {
    this.#parser.write(text)
  }

  end(): DmarcReport {
    this.#parser.end()
    const { reporter, email, reportId, from, to, domain, policy } = this.#metadata
    const [begin, end] = [momentOf(from), momentOf(to)]
    if (!domain || !reportId || !(reporter || email) || !begin || !end || end < begin)
      throw new UnreadableReport('it is no aggregate report')
    return {
      kind: 'dmarc',
      reporter: reporter || email!,
      reportId,
      from: begin,
      to: end,
      domain: domainOf(domain),
      policy: asDisposition(policy),
      rows: this.#rows,
      isCut: this.#isCut,
    }
  }

  #open(name: string) {
    if (this.#path.length >= MAX_DEPTH) throw new UnreadableReport('its elements are nested too deep')
    const local = name.slice(name.indexOf(':') + 1).toLowerCase()
    if (this.#path.length === 0 && local !== 'feedback') throw new UnreadableReport('it is no aggregate report')
    this.#path.push(local)
    this.#text = ''
    const path = this.#below()
    if (path === 'record') [this.#record, this.#signatures] = [{}, []]
    if (path === SIGNATURE) this.#signature = {}
  }

  #close() {
    const path = this.#below()
    const text = clean(this.#text)
    this.#text = ''
    const [metadata, ofRecord] = [METADATA[path], OF_RECORD[path]]
    if (metadata) this.#metadata[metadata] ??= text
    else if (ofRecord) this.#record[ofRecord] ??= text
    else if (path.startsWith(`${SIGNATURE}/`)) this.#signature[path.slice(SIGNATURE.length + 1)] ??= text
    else if (path === SIGNATURE && this.#signatures.length < MAX_SIGNATURES) this.#signatures.push(this.#signature)
    else if (path === 'record') this.#add()
    this.#path.pop()
  }

  #below(): string {
    return this.#path.slice(1).join('/')
  }

  #add() {
    const { source, count, disposition, dkim, spf, headerFrom, spfDomain, spfResult } = this.#record
    const messages = countOf(count)
    if (!source || messages === 0) return
    if (this.#rows.length >= MAX_ROWS) {
      this.#isCut = true
      return
    }
    const signatures = this.#signatures.map((one) => ({
      domain: domainOf(one.domain ?? ''),
      selector: (one.selector ?? '').toLowerCase(),
      result: (one.result ?? '').toLowerCase(),
    }))
    this.#rows.push({
      source,
      count: messages,
      disposition: asDisposition(disposition) ?? 'none',
      isSpfAligned: spf?.toLowerCase() === 'pass',
      isDkimAligned: dkim?.toLowerCase() === 'pass',
      headerFrom: domainOf(headerFrom ?? ''),
      spf:
        spfDomain || spfResult ? { domain: domainOf(spfDomain ?? ''), result: (spfResult ?? '').toLowerCase() } : null,
      dkim: signatures.toSorted((a, b) => Number(b.result === 'pass') - Number(a.result === 'pass')),
    })
  }
}

export const clean = (text: string) =>
  text
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
    .slice(0, MAX_VALUE_LENGTH)
    .toWellFormed()

const domainOf = (text: string) => text.toLowerCase().replace(/\.$/, '')

/** `pass` is a word of RFC 9990 for what the older form calls `none`: DMARC had nothing against it. */
const asDisposition = (text: string | undefined): Disposition | null => {
  const word = text?.toLowerCase()
  return word === 'quarantine' || word === 'reject' ? word : word === 'none' || word === 'pass' ? 'none' : null
}

const countOf = (text: string | undefined): number =>
  text !== undefined && /^\d{1,15}$/.test(text) ? Math.min(Number(text), MAX_COUNT) : 0

/** Seconds since 1970, as all of them write it. */
const momentOf = (text: string | undefined): Date | null =>
  text !== undefined && /^\d{9,11}$/.test(text) ? new Date(Number(text) * 1_000) : null
