// Listed once more than they are there: a second one that is added on the way breaks the signature instead of being shown.
const OVERSIGNED = ['From', 'Subject', 'To']

// RFC 8058 wants both unsubscribe headers covered; the usual libraries leave the second one out.
const SIGNED_IF_PRESENT = [
  ...['Cc', 'Reply-To', 'Date', 'Message-ID', 'MIME-Version', 'Content-Type', 'Content-Transfer-Encoding'],
  ...['In-Reply-To', 'References', 'List-Unsubscribe', 'List-Unsubscribe-Post', 'List-Id'],
  ...['Feedback-ID', 'CFBL-Address', 'CFBL-Feedback-ID'],
]

const SIGNED = [
  ...OVERSIGNED.map((name) => ({ name, key: name.toLowerCase(), isOversigned: true })),
  ...SIGNED_IF_PRESENT.map((name) => ({ name, key: name.toLowerCase(), isOversigned: false })),
]

/** The names for `h=`, and the headers they stand for, in the form that is signed. */
export function signedHeaders(block: Buffer): { names: string[]; canonical: string } {
  const fields = fieldsByName(block)
  const names: string[] = []
  let canonical = ''
  for (const { name, key, isOversigned } of SIGNED) {
    const own = fields.get(key) ?? []
    // Of several headers with one name, the lowest is meant first (RFC 6376, 5.4.2).
    for (let index = own.length - 1; index >= 0; index--) {
      names.push(name)
      canonical += `${own[index]}\r\n`
    }
    if (isOversigned) names.push(name)
  }
  return { names, canonical }
}

/** In latin1, so that bytes which are UTF-8, or nothing at all, come out as they went in. */
function fieldsByName(block: Buffer): Map<string, string[]> {
  const fields = new Map<string, string[]>()
  for (const line of block.toString('latin1').split(/\r\n(?![ \t])/)) {
    const field = relaxed(line)
    const name = field.slice(0, field.indexOf(':'))
    const known = fields.get(name)
    if (known) known.push(field)
    else fields.set(name, [field])
  }
  return fields
}

/** One header without its line end, as RFC 6376, 3.4.2 has it. Not `trim`: that takes 0xA0, which ends letters such as `à`. */
export function relaxed(header: string): string {
  const colon = header.indexOf(':')
  const name = header
    .slice(0, colon)
    .toLowerCase()
    .replace(/[ \t]+$/, '')
  // A single space is in that form already, and most white space is one.
  const value = header.slice(colon + 1).replace(/[ \t\r\n]{2,}|[\t\r\n]/g, ' ')
  return `${name}:${value.slice(value.startsWith(' ') ? 1 : 0, value.endsWith(' ') ? -1 : undefined)}`
}
