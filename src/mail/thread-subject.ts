// What programs put in front of a subject when one answers or forwards, in the languages that they come in.
const MARKS = [
  ...[
    're',
    'fwd?',
    'aw',
    'antw(?:ort)?',
    'wg',
    'sv',
    'vs',
    'vb',
    'vl',
    'rv',
    'res',
    'enc',
    'rif',
    'r',
    'i',
    'tr',
    'odp',
    'pd',
  ],
  ...[
    'ynt',
    'ilt',
    'atb',
    'betr',
    'doorst',
    'bls',
    'trs',
    'ref',
    'ang',
    'hl',
    'továbbítás',
    'válasz',
    'отв',
    'ответ',
    'на',
    'пересл',
  ],
  ...[
    'σχετ',
    'απ',
    'πρθ',
    'תגובה',
    'הועבר',
    'رد',
    'إعادة توجيه',
    '回复',
    '回覆',
    '答复',
    '答覆',
    '转发',
    '轉寄',
    '返信',
    '転送',
    '답장',
    '회신',
    '전달',
  ],
].join('|')

/** `Re:`, `RE[2]:`, `Aw (3) :`, `回复：`. */
const MARK = new RegExp(`^(?:${MARKS})\\s?(?:\\[\\d{1,4}\\]|\\(\\d{1,4}\\)|\\^\\d{1,4})?\\s?[:：]\\s*`, 'u')
/** `[list]`, `[EXTERNAL]`: what lists and filters put in front, and leave away elsewhere. With a number it is that of a case or a part. */
const TAG = /^\[[^[\]\d]{1,80}\]\s*/u
const NUMBERED_TAG = /^\[[^[\]]{1,80}\]\s*/u
const FORWARDED = /^\[\s?fwd?:\s?(.*)\]$/u
const FORWARDED_BEHIND = /\s*\(fwd\)$/u

/** The beginning is enough to tell subjects apart. */
const MAX_KEY_LENGTH = 500
/** Each answer of some programs adds one. */
const MAX_MARKS = 50

/** A subject without what answers, forwards and lists add to it, and without case: the same in all mails of a conversation. */
export const threadSubject = (subject: string): string => readSubject(subject).bare

/** Whether a subject says that it answers or forwards something. */
export const isAnswer = (subject: string): boolean => readSubject(subject).isAnswer

function readSubject(subject: string): { bare: string; isAnswer: boolean } {
  let rest = subject.slice(0, MAX_KEY_LENGTH).normalize('NFKC').toLowerCase().replace(/\s+/gu, ' ').trim()
  let tags = ''
  let isAnswer = false
  for (let count = 0; count < MAX_MARKS; count++) {
    const stripped = stripMark(rest)
    isAnswer ||= stripped !== rest
    const tag = stripped === rest ? (NUMBERED_TAG.exec(rest)?.[0] ?? '') : ''
    if (stripped === rest && tag === '') break
    // A list puts its tag in front of an answer, and the answer to that its mark in front of the tag. Once is enough.
    if (tag !== '' && !TAG.test(tag) && !tags.includes(tag.trim())) tags += `${tag.trim()} `
    rest = tag === '' ? stripped : rest.slice(tag.length)
  }
  return { bare: rest === '' ? '' : `${tags}${rest}`, isAnswer }
}

const stripMark = (text: string): string =>
  (FORWARDED.exec(text)?.[1] ?? text).replace(FORWARDED_BEHIND, '').replace(MARK, '').trim()
