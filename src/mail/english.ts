import * as chrono from 'chrono-node'

/** The words that end what the two slow patterns of the library look for: `2 days ago`, `an hour from now`. */
const AGO_OR_LATER = /\b(?:ago|before|earlier|later|after|from now|henceforth|forward|out)\b/i

/** Ignores the case of ASCII letters by itself. V8 needs a tenth of a second to compile these two, nearly all of it for the flag `i`. */
class FoldedPattern extends RegExp {
  override exec(text: string): RegExpExecArray | null {
    if (!AGO_OR_LATER.test(text)) return null
    return super.exec(text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase()))
  }
}

const isSlow = (pattern: RegExp) => /\(\?:ago\||\(\?:later\|/.test(pattern.source)

/** The library's own parser, except that nobody else waits for a tenth of a second while its pattern is compiled. */
function quick(parser: chrono.Parser): chrono.Parser {
  let known: RegExp | undefined
  return {
    pattern(context) {
      const pattern = parser.pattern(context)
      if (!isSlow(pattern)) return pattern
      known ??= new FoldedPattern(pattern.source, '')
      return known
    },
    extract: (context, match) => parser.extract(context, match),
  }
}

const { parsers, refiners } = chrono.en.configuration.createCasualConfiguration()

/** Reads times in English. */
export const english = new chrono.Chrono({ parsers: parsers.map(quick), refiners })
