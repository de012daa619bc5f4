// A number with its noun in English, for the one-line accounts of calls.

/** `counted(1, 'file')` is "1 file", `counted(2, 'match', 'matches')` is "2 matches". */
export const counted = (count: number, one: string, more = `${one}s`): string => `${count} ${count === 1 ? one : more}`;
