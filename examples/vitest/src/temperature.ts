// A tool that the agent of this project may call.

const DEGREES = new Map([["Paris", 21]]);

/** How warm it is in a city, in degrees Celsius. */
export function temperature({ city }: { city: string }): { degrees: number } {
  const degrees = DEGREES.get(city);
  if (degrees === undefined) throw new Error(`there is no city ${city}`);
  return { degrees };
}
