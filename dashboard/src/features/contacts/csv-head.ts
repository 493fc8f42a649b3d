/** Enough of a file to see its first line. */
const HEAD_BYTES = 64 * 1024

/** The names of the columns of a CSV file. The server reads the file itself; this is for showing them. */
export async function readColumns(file: Blob): Promise<string[]> {
  const text = (await file.slice(0, HEAD_BYTES).text()).replace(/^\uFEFF/, '')
  const line = firstLine(text)
  const delimiter = [',', ';', '\t'].sort((one, other) => line.split(other).length - line.split(one).length)[0]!
  return splitLine(line, delimiter)
}

function firstLine(text: string): string {
  let isQuoted = false
  for (let index = 0; index < text.length; index++) {
    if (text[index] === '"') isQuoted = !isQuoted
    else if (!isQuoted && /[\r\n]/.test(text[index]!)) return text.slice(0, index)
  }
  return text
}

function splitLine(line: string, delimiter: string): string[] {
  const cells: string[] = ['']
  let isQuoted = false
  for (const character of line) {
    if (character === '"') isQuoted = !isQuoted
    else if (character === delimiter && !isQuoted) cells.push('')
    else cells[cells.length - 1] += character
  }
  return cells.map((cell) => cell.trim()).filter(Boolean)
}

/** What a column probably holds, by its name. */
export function guess(column: string): string {
  const name = column.toLowerCase().replace(/[^a-z]/g, '')
  if (/^(e?mail|emailaddress|address)$/.test(name)) return 'email'
  if (/^(firstname|givenname|vorname|prenom)$/.test(name)) return 'first_name'
  if (/^(lastname|surname|familyname|nachname|nom)$/.test(name)) return 'last_name'
  if (/^(unsubscribed|optedout|optout)$/.test(name)) return 'unsubscribed'
  return ''
}
