import type { Steps } from '../steps.ts'

export const CHECKS = [
  ...(['clients', 'links', 'images', 'accessibility', 'dark_mode'] as const),
  ...(['clipping', 'text', 'unsubscribe', 'sender', 'dmarc', 'tracking', 'spam'] as const),
] as const
export type Check = (typeof CHECKS)[number]

export const SEVERITIES = ['error', 'warning', 'notice'] as const
export type Severity = (typeof SEVERITIES)[number]

/** `minor`: the mail is as readable without it, or next to nobody misses it. */
export const IMPACTS = ['major', 'minor'] as const
export type Impact = (typeof IMPACTS)[number]

/** One thing that is worth a look. */
export interface Finding {
  readonly check: Check
  readonly severity: Severity
  readonly impact: Impact
  readonly title: string
  readonly detail: string | null
  /** Of the html, from 1. */
  readonly line: number | null
  /** That line, or the part of it that matters. */
  readonly source: string | null
  readonly url: string | null
  readonly clients: string[] | null
  /** Of the readers, in percent: those whose mail client does not support it. Approximate. */
  readonly share: number | null
}

/** A finding before anybody has looked for its line. */
export interface Found extends Pick<Finding, 'check' | 'severity' | 'title'> {
  readonly detail?: string
  /** Where in the html. */
  readonly at?: number
  readonly url?: string
  readonly clients?: string[]
  /** Major unless said. */
  readonly impact?: Impact
  readonly share?: number
}

const MAX_SOURCE_LENGTH = 160
/** In characters: so much is looked through in 1 ms, even where each of them has a half that looks like a line break (上). */
const SCAN_STEP_LENGTH = 65_536

/** The lines of a text, to say where something is. */
export class SourceLines {
  readonly #text: string
  readonly #starts: readonly number[]

  private constructor(text: string, starts: readonly number[]) {
    this.#text = text
    this.#starts = starts
  }

  /** In steps: 2 MB may have two million lines. */
  static *of(text: string): Steps<SourceLines> {
    const starts = [0]
    for (let from = 0; from < text.length; from += SCAN_STEP_LENGTH) {
      const part = text.slice(from, from + SCAN_STEP_LENGTH)
      for (let at = part.indexOf('\n'); at >= 0; at = part.indexOf('\n', at + 1)) starts.push(from + at + 1)
      yield
    }
    return new SourceLines(text, starts)
  }

  lineAt(at: number): number {
    let [low, high] = [0, this.#starts.length]
    while (high - low > 1) {
      const middle = (low + high) >> 1
      if (this.#starts[middle]! <= at) low = middle
      else high = middle
    }
    return low + 1
  }

  /** The line around the place; of a long one what follows it. Nothing is looked for: a line may have all of the characters. */
  sourceAt(at: number): string {
    const line = this.lineAt(at)
    const start = this.#starts[line - 1]!
    const end = (this.#starts[line] ?? this.#text.length + 1) - 1
    if (end - start <= MAX_SOURCE_LENGTH) return this.#text.slice(start, end).trim()
    const from = Math.max(start, at - 20)
    const part = this.#text.slice(from, Math.min(end, from + MAX_SOURCE_LENGTH))
    return `${from > start ? '…' : ''}${part.trim()}${from + MAX_SOURCE_LENGTH < end ? '…' : ''}`
  }

  finding({ check, severity, title, detail, at, url, clients, impact = 'major', share }: Found): Finding {
    return {
      ...{ check, severity, impact, title },
      detail: detail ?? null,
      line: at === undefined ? null : this.lineAt(at),
      source: at === undefined ? null : this.sourceAt(at),
      url: url ?? null,
      clients: clients ?? null,
      share: share ?? null,
    }
  }
}

/** How many of one kind are reported. Whoever has more of them knows what to do after these. */
export const MAX_FINDINGS_PER_KIND = 25

/** The first ones, and a last one that says how many there are besides. */
export function atMost(found: readonly Found[], most = MAX_FINDINGS_PER_KIND): Found[] {
  if (found.length <= most) return [...found]
  const { check, severity, title, impact = 'major' } = found[most]!
  return [
    ...found.slice(0, most),
    { check, severity, impact, title, detail: `And ${found.length - most} more like it.` },
  ]
}
