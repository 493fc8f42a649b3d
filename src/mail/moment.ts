import type { Component } from 'chrono-node'
import { english } from './english.ts'
import { fixedZone, instantOf, type TimeZone, takeZone, UTC, type WallTime } from './time-zone.ts'

/** The moment that a text means, or what of it was not understood: null when nothing of it was. */
export type Reading =
  | { readonly moment: Date; readonly zone: TimeZone }
  | { readonly unclear: string | null; readonly why?: string }

/** Nobody needs more words for a time, and hostile text is refused before it is looked at. */
const MAX_TIME_LENGTH = 200

/**
 * A time as people and programs write it: ISO 8601 (`2026-11-20 10:00`), or English (`tomorrow at 9am`), each with a zone if it has one
 * (`Asia/Tokyo`, `ET`, `UTC+2`). It is understood to its last word or not at all: what is passed over could be what matters.
 */
export function readMoment(text: string, now: Date, usual: TimeZone = UTC): Reading {
  if (text.length > MAX_TIME_LENGTH) return { unclear: null }
  const written = text.trim().replace(/\s+/g, ' ')
  const plain = readIso(written, usual)
  if (plain) return plain
  const { rest, zone, unknown } = takeZone(written)
  if (unknown !== null) return { unclear: unknown, why: 'It is no time zone.' }
  if (zone === null) return readWords(written, now, usual)
  const second = takeZone(rest)
  if (second.zone !== null || second.unknown !== null) return readTwoZones(rest, zone)
  return readIso(rest, zone) ?? readWords(rest, now, zone)
}

const ISO = /^(\d{4})-(\d\d)-(\d\d)(?:[T ](\d\d):(\d\d)(?::(\d\d)(?:\.(\d{1,9}))?)?)? ?(Z|[+-]\d\d(?::?\d\d)?)?$/i

/** Null: it is not ISO 8601. */
export function readIso(text: string, zone: TimeZone): Reading | null {
  const [isIso, year, month, day, hour = '0', minute = '0', second = '0', fraction = '', offset] = ISO.exec(text) ?? []
  if (!isIso) return null
  const wall = {
    ...{ year: Number(year), month: Number(month), day: Number(day) },
    ...{ hour: Number(hour), minute: Number(minute), second: Number(second) },
    millisecond: Number(fraction.slice(0, 3).padEnd(3, '0')),
  }
  if (!exists(wall)) return { unclear: text, why: 'There is no such time.' }
  const own = offset === undefined ? zone : fixedZone(offset, minutesOf(offset))
  return { moment: instantOf(wall, own), zone: own }
}

function minutesOf(offset: string): number {
  const [, sign, hours, minutes = '0'] = /^([+-])(\d\d):?(\d\d)?$/.exec(offset) ?? ['', '+', '0']
  return (sign === '-' ? -1 : 1) * (Number(hours) * 60 + Number(minutes))
}

function exists({ year, month, day, hour, minute, second }: WallTime): boolean {
  const date = new Date(Date.UTC(year, month - 1, day))
  return date.getUTCMonth() === month - 1 && date.getUTCDate() === day && hour < 24 && minute < 60 && second < 60
}

/** `2026-11-20T10:00+01:00[Europe/Paris]` (RFC 9557): both say the same, or nobody knows which one was meant. */
function readTwoZones(text: string, zone: TimeZone): Reading {
  const reading = readIso(text, zone)
  if (reading && 'moment' in reading) {
    const { moment, zone: own } = reading
    if (own.offsetAt(moment.getTime()) === zone.offsetAt(moment.getTime())) return reading
  }
  return { unclear: text, why: `It has another time zone than ${zone.name}.` }
}

/** Words around a time that say nothing. */
const FILLING = /^(?:[\s,.]|\b(?:at|on)\b)*$/i

function readWords(text: string, now: Date, zone: TimeZone): Reading {
  const reference = { instant: now, timezone: zone.offsetAt(now.getTime()) }
  const [found, ...more] = english.parse(text, reference, { forwardDate: true })
  if (!found) return { unclear: null }
  const [before, after] = [text.slice(0, found.index), text.slice(found.index + found.text.length)]
  const rest = [before, after].filter((part) => !FILLING.test(part)).map((part) => part.trim())
  if (more.length > 0 || rest.length > 0) return { unclear: rest.join(' … ') || text }
  if (found.end) return { unclear: text, why: 'It is more than one moment.' }
  const { start } = found
  const isElapsed = found.tags().has('result/relativeDateAndTime') || /^(?:right )?now$/i.test(found.text)
  if (isElapsed) return { moment: start.date(), zone }
  // A zone that the library knows and we do not: it may know another one by that name.
  if (start.isCertain('timezoneOffset'))
    return { unclear: text, why: 'Its time zone needs a name like `Asia/Kolkata`.' }
  const of = (part: Component) => start.get(part) ?? 0
  const wall = {
    ...{ year: of('year'), month: of('month'), day: of('day') },
    ...{ hour: of('hour'), minute: of('minute'), second: of('second'), millisecond: of('millisecond') },
  }
  return { moment: instantOf(wall, zone), zone }
}
