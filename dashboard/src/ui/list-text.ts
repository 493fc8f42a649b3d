// A short list in one field: its items with commas between them. An empty field is no list.

export const textOfList = (items: readonly string[] | null) => items?.join(', ') ?? ''

export const listOfText = (text: string): string[] | null => (text ? text.split(',').map((item) => item.trim()) : null)
