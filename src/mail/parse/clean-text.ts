import { atOnce, type Steps } from '../steps.ts'
import { inPieces } from './pieces.ts'
import { TextBuilder } from './text-builder.ts'

// In a regular expression that knows Unicode, Cs are only the halves of pairs that stand alone.
const UNFIT = /[\p{Cc}\p{Cs}]/u

/** One line, as a header has it: each run of control characters is a space, NUL and half characters are gone. */
export function cleanLine(text: string): string {
  if (!UNFIT.test(text)) return text.trim()
  return text
    .replace(/[\0\p{Cs}]+/gu, '')
    .replace(/\p{Cc}+/gu, ' ')
    .trim()
}

const NUL = 0x00
const LF = 0x0a
const CR = 0x0d

/** Several lines, ended by line feeds. Half characters become what stands for one that cannot be read. */
export function* cleanInSteps(text: string): Steps<string> {
  const whole = text.isWellFormed() ? text : text.toWellFormed()
  if (!whole.includes('\r') && !whole.includes('\0')) return whole
  const clean = new TextBuilder(whole.length)
  yield* inPieces(whole.length, (start, end) => {
    for (let i = start; i < end; i += 1) {
      const unit = whole.charCodeAt(i)
      if (unit === CR && whole.charCodeAt(i + 1) === LF) continue
      if (unit !== NUL) clean.add(unit === CR ? LF : unit)
    }
    return end
  })
  return clean.toString()
}

/** The same for what is short. */
export function cleanText(text: string): string {
  return atOnce(cleanInSteps(text))
}
