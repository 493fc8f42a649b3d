/** The message says what is wrong with the document, and goes to the client. */
export class DocumentRefusal extends Error {}

/** What a task of the editor's worker threads answers. */
export type Answer<Result> = { readonly result: Result } | { readonly refusal: string }
