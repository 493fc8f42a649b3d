/** A cell that begins like this is a formula to a spreadsheet, and anybody can choose a name or a subject. */
const FORMULA = /^[=+\-@\t\r]/

/** One cell of a CSV file (RFC 4180). Formulas are kept from running: a spreadsheet shows them as text. */
export function csvCell(value: string | number | boolean | object | null | undefined): string {
  const given =
    value === null || value === undefined ? '' : typeof value === 'object' ? JSON.stringify(value) : `${value}`
  const text = typeof value !== 'number' && FORMULA.test(given) ? `'${given}` : given
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text
}

export const csvLine = (values: readonly Parameters<typeof csvCell>[0][]) => `${values.map(csvCell).join(',')}\r\n`
