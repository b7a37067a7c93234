export declare const bundlePath: string;
export declare function hashDashboardSources(): string;
export declare function isDashboardBuilt(): boolean;
