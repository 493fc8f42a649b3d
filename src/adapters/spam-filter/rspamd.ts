import type { SpamScore } from './spam-filter.ts'

interface Symbol {
  readonly score?: unknown
  readonly description?: unknown
}

/** What Rspamd's `/checkv2` says. Null: it is no answer of that. */
export function readRspamd(answer: string): SpamScore | null {
  const result = parsed(answer)
  const { score, required_score: threshold, symbols } = result
  if (typeof score !== 'number' || typeof threshold !== 'number') return null
  const rules = Object.entries(isRecord(symbols) ? symbols : {}).flatMap(([name, symbol]) => {
    const { score: points, description } = (isRecord(symbol) ? symbol : {}) as Symbol
    if (typeof points !== 'number') return []
    return [
      {
        name: name.slice(0, 100),
        score: points,
        description: typeof description === 'string' ? description.slice(0, 500) : '',
      },
    ]
  })
  return { score, threshold, rules }
}

const isRecord = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null

function parsed(answer: string): Record<string, unknown> {
  try {
    const value: unknown = JSON.parse(answer)
    return isRecord(value) ? value : {}
  } catch {
    return {}
  }
}
