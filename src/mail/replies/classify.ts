import type { Bounce } from '../outcome.ts'
import type { ReplyAbout, ReplyClass, ReplyMeans, ReplyPhase } from '../reply-class.ts'
import { CLASSES, NO_EMAIL } from './classes.ts'
import type { ReplyRule } from './reply-rule.ts'
import { wordsOf, wordsWithLinks } from './reply-words.ts'
import { PHASE_RULES } from './rules/phases.ts'
import { COMMON_WORDS, OWN_WORDS } from './rules.ts'

/** What a server answered, and what is known of the answer. */
export interface ClassifiedReply {
  readonly code: number
  /** RFC 3463: `5.1.1`. */
  readonly enhanced?: string | null
  /** The words, without the codes. */
  readonly text: string
  readonly phase?: ReplyPhase | null
  readonly provider?: string | null
}

/** What a reply is, and what follows from it. */
export interface Classification {
  readonly class: ReplyClass
  /** The rule that decided. */
  readonly rule: string
  /** Whom it speaks of; null when it does not say. */
  readonly about: ReplyAbout | null
  readonly means: ReplyMeans
  /** How long to leave alone what it is about, if that is known. */
  readonly pauseSeconds?: number
  /** What the events say if this is the end. */
  readonly bounce: Bounce
}

const { bounce: NOTHING } = CLASSES.delivered
const TAKEN: Classification = { class: 'delivered', rule: 'code/2', about: null, means: 'taken', bounce: NOTHING }
const UNKNOWN: ReplyRule = { id: 'none', class: 'uncategorized' }

/**
 * What a reply means. The words of its provider tell first, then anybody's words, the enhanced code, the basic code, and the command that
 * was answered. A yes is a yes, and costs nothing.
 */
export function classify(reply: ClassifiedReply): Classification {
  const { code } = reply
  if (code >= 200 && code < 300) return TAKEN
  const rule = ruleFor(reply)
  const traits = CLASSES[rule.class]
  const { about = traits.about, means = code >= 500 ? traits.final : traits.passing, bounce = traits.bounce } = rule
  return {
    class: rule.class,
    rule: rule.id,
    about,
    means,
    bounce,
    ...(rule.pauseSeconds !== undefined && { pauseSeconds: rule.pauseSeconds }),
  }
}

// How Microsoft 365 refuses an address that is not in the directory. Other words beside these say what else is wrong.
const NOT_IN_THE_DIRECTORY = 'recipient address rejected: access denied'
const OF_A_DIRECTORY = new Set(['4.1', '1.1', '1.10'])
const DIRECTORY_RULE: ReplyRule = { id: 'outlook/not-in-directory', class: 'invalid_recipient', bounce: NO_EMAIL }

function ruleFor({ code, enhanced, text, phase = null, provider = null }: ClassifiedReply): ReplyRule {
  const codes = { code: String(code), detail: enhanced?.slice(2) ?? '' }
  const own = find(ownWordsFor(provider), { ...codes, words: wordsWithLinks(text) })
  if (own) return own
  const all = wordsOf(text)
  const isNotListed = code >= 500 && OF_A_DIRECTORY.has(codes.detail) && all.includes(NOT_IN_THE_DIRECTORY)
  const read = { ...codes, words: isNotListed ? all.replace(NOT_IN_THE_DIRECTORY, '') : all }
  const common = find(COMMON_WORDS, read)
  if (isNotListed && (!common || isOfCodes(common))) return DIRECTORY_RULE
  return common ?? (phase && find(PHASE_RULES[phase], read)) ?? UNKNOWN
}

const isOfCodes = ({ words }: ReplyRule) => words === undefined

const byProvider = new Map<string, readonly ReplyRule[]>()
for (const { provider } of OWN_WORDS) {
  if (provider === undefined || byProvider.has(provider)) continue
  const isIts = (rule: ReplyRule) => rule.provider === provider
  byProvider.set(provider, [...OWN_WORDS.filter(isIts), ...OWN_WORDS.filter((rule) => !isIts(rule))])
}

/** The rules of the provider before those of others. */
const ownWordsFor = (provider: string | null) => (provider === null ? undefined : byProvider.get(provider)) ?? OWN_WORDS

interface ReadReply {
  readonly code: string
  /** The enhanced code without its first digit. */
  readonly detail: string
  readonly words: string
}

const find = (rules: readonly ReplyRule[], read: ReadReply) => rules.find((rule) => holds(rule, read))

function holds({ code, enhanced, words, except }: ReplyRule, read: ReadReply): boolean {
  if (code !== undefined && !read.code.startsWith(code)) return false
  if (enhanced !== undefined && !isOfCode(enhanced, read.detail)) return false
  if (words !== undefined && !words.test(read.words)) return false
  return except === undefined || !except.test(read.words)
}

/** `7.` is any that begins so. */
const isOfCode = (enhanced: string, detail: string) =>
  enhanced.endsWith('.') ? detail.startsWith(enhanced) : detail === enhanced
