/** For the beginning of a cell. Names of domains in it stay as they are. */
export const capitalized = (text: string) => text.charAt(0).toUpperCase() + text.slice(1)
