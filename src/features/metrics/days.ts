/** Whether the calendar has this day, `2026-02-28`: a Date made of the 30th of February is the 2nd of March. */
export function isDay(text: string): boolean {
  const day = new Date(`${text}T00:00:00Z`)
  return !Number.isNaN(day.getTime()) && day.toISOString().startsWith(text)
}
