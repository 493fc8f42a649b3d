const ABBREVIATIONS = /\b(api|dkim|dmarc|mx|rsa|smtp|spf|tls)\b/g

export const inWords = (word: string) =>
  word
    .replaceAll('_', ' ')
    .replaceAll('.', ' ')
    .replace(ABBREVIATIONS, (short) => short.toUpperCase())

/** Of a choice or a heading: `Temporary failure`. */
export const inSentenceCase = (word: string) => {
  const words = inWords(word)
  return words.charAt(0).toUpperCase() + words.slice(1)
}
