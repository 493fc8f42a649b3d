// Untrusted text, on its way to a model. It can say what it likes: what it must not do is look like something else than text.

/**
 * Control characters, and characters that nobody sees but a model reads: directions, tags, fillers. Joiners stay, since scripts need
 * them.
 */
const UNSEEN = /[\p{Cc}\p{Cf}\p{DI}]/gu
const KEPT = new Set(['\n', '\t', '\u200c', '\u200d'])

/**
 * What servers cut a conversation into pieces with: `<|im_start|>`, `<start_of_turn>`, `</s>`, `<｜User｜>`. Some read these marks also
 * where they stand in a mail, and then the mail would speak as the system. A comparison or an arrow is none of them.
 */
const ANGLE = /<(?=[a-z/|｜<!])/giu
/** `[INST]`, `[/INST]`, `[TOOL_CALLS]`. */
const SQUARE = /\[(\/?[A-Z][A-Z_]{2,30})\]/g

const harmless = (text: string) => text.replace(ANGLE, '‹').replace(SQUARE, '($1)')

/** Several lines. */
export const plainText = (text: string): string =>
  harmless(text.replace(/\r\n?|[\u2028\u2029]/g, '\n').replace(UNSEEN, (one) => (KEPT.has(one) ? one : '')))
    .replace(/\n{4,}/g, '\n\n\n')
    .trim()

/** One line of at most so many characters. */
export function plainLine(text: string, longest: number): string {
  const line = plainText(text.slice(0, longest * 4))
    .replace(/\s+/g, ' ')
    .trim()
  return line.length > longest ? `${beginning(line, longest - 1)}…` : line
}

/** The first characters, and none of them halved. */
export const beginning = (text: string, length: number): string => text.slice(0, length).replace(/[\ud800-\udbff]$/, '')
