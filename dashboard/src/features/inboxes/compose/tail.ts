/** What follows a person's own words in a draft and goes out with them. */
export interface Tail {
  readonly html: string
  /** Null: not known, so the text of the mail is made from its html when it is sent. */
  readonly text: string | null
}
