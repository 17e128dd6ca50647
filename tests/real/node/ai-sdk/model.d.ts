export function model(reply: (prompt: any[]) => unknown): any;
export function call(toolName: string, input: unknown, toolCallId: string): unknown;
export function asked(prompt: any[]): string;
export function outputs(prompt: any[]): any[];
